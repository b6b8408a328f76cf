// Simulated releases one after another, on one map per level. Nothing moves by itself if the
// visitor's system asks for reduced motion.

const BEAT = 700; // milliseconds per simulation
const players = new WeakMap(); // the player of each element, stopped before another one starts

export default function ({ data, parentElement }) {
  players.get(parentElement)?.stop();
  const player = new Player(data, parentElement);
  players.set(parentElement, player);
  return () => player.stop();
}

class Player {
  constructor(data, root) {
    this.data = data;
    this.count = root.querySelector(".count");
    this.toggle = root.querySelector(".toggle");
    this.index = 0;
    this.toggle.onclick = () => (this.timer ? this.stop() : this.start());
    root.querySelector(".next").onclick = () => {
      this.stop();
      this.advance();
    };
    const row = root.querySelector(".maps");
    row.style.setProperty("--across", data.across);
    row.replaceChildren(...data.maps.map((map) => this.figureOf(map)));
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    Promise.all(data.maps.map((map) => this.load(map))).then(() => {
      this.draw();
      if (still) this.stop();
      else this.start();
    });
  }

  figureOf(map) {
    map.canvas = document.createElement("canvas");
    map.canvas.setAttribute("role", "img");
    map.canvas.setAttribute("aria-label", map.alt);
    const figure = document.createElement("figure");
    figure.append(document.createElement("figcaption"), map.canvas);
    figure.firstChild.textContent = map.title;
    return figure;
  }

  async load(map) {
    const polygons =
      typeof map.polygons === "string"
        ? await (await fetch(map.polygons)).json()
        : map.polygons;
    const [x0, x1, y0, y1] = this.data.box;
    const width = Math.max(1, map.canvas.clientWidth) * window.devicePixelRatio;
    const scale = width / (x1 - x0);
    map.canvas.width = width;
    map.canvas.height = scale * (y1 - y0);
    const place = new Map(map.ids.map((id, k) => [id, k]));
    map.paths = [];
    for (const feature of polygons.features) {
      if (!place.has(feature.id)) continue;
      const path = new Path2D();
      const { type, coordinates } = feature.geometry;
      for (const polygon of type === "Polygon" ? [coordinates] : coordinates) {
        for (const ring of polygon) {
          ring.forEach(([x, y], k) => {
            const at = [(x - x0) * scale, (y1 - y) * scale];
            if (k) path.lineTo(...at);
            else path.moveTo(...at);
          });
          path.closePath();
        }
      }
      map.paths.push([place.get(feature.id), path]);
    }
  }

  draw() {
    const { maps, colours, border, total } = this.data;
    for (const { canvas, paths, frames } of maps) {
      const pen = canvas.getContext("2d");
      pen.clearRect(0, 0, canvas.width, canvas.height);
      pen.strokeStyle = border;
      pen.lineWidth = paths.length > 600 ? 0 : 0.5 * window.devicePixelRatio;
      for (const [k, path] of paths) {
        pen.fillStyle = colours[Number(frames[this.index][k])];
        pen.fill(path, "evenodd");
        if (paths.length <= 600) pen.stroke(path);
      }
    }
    this.count.textContent = `Simulated release ${this.index + 1} of ${total}`;
  }

  advance() {
    this.index = (this.index + 1) % this.data.total;
    this.draw();
  }

  start() {
    this.timer = window.setInterval(() => this.advance(), BEAT);
    this.toggle.textContent = "Pause";
  }

  stop() {
    window.clearInterval(this.timer);
    this.timer = undefined;
    this.toggle.textContent = "Play";
  }
}
