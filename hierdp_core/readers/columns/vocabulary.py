"""Words that identify columns by their names, in the languages of many statistical offices."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import combinations

from hierdp_core.readers.columns.number_words import in_digits


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


# Names of columns of counts.
COUNT = words(
    """
    enrolment enrollment rooms beds vehicles cars firms enterprises farms establishments num
    viajes viagens spostamenti deplacements nbflux flux fahrten pendler
    valor valeur wert hodnota vrednost valoare waarde
    count counts population pop people persons person total n value values number households
    housing_units hu residents inhabitants cases jobs trips rides pickups dropoffs commuters flow
    navetteurs pendelaars pendlare penumpang pracujacy dojezdzajacy pendolari commutants
    flows workers students freq frequency obs_value births deaths groups units employees dwellings
    families pupils patients admissions voters electors users visitors arrivals einwohner
    bevolkerung personen haushalte anzahl insgesamt wohnungen popolazione residenti abitanti totale
    votes electorate electeurs inscrits elettori electores eleitores stimmen wahlberechtigte
    stemmer stemmeberettigede uprawnionych glosow voix votos voti hlasy szavazatok kiesgerechtigden
    doses famiglie persone pendolari population_municipale population_totale effectif effectifs
    habitants menages nombre logements populacao habitantes pessoas domicilios moradores poblacion
    personas hogares viviendas inwoners bevolking huishoudens aantal befolkning folkemangde
    folketal folketall folkemengde antal antall invanare ludnosc liczba ludnosc_ogolem pocet
    obyvatel pocet_obyvatel
    naselenie lakossag nepesseg vaesto vakiluku tot_p no_hh tot_pop total_population
    population_total total_persons number_of_persons number_of_people no_of_persons num_hh 人口
    人口総数 総人口 総数 世帯数 人数 人 世帯 人口数 户数 总人口 인구 인구수 총인구수
    население численность 常住人口 户籍人口 总计 合计 合計 總人口 人口數 戶數 总户数 户籍 全人口
    observation observations registrants children child penduduk jiwa nufus kisi toplam
    jumlah dan_so so_dan rahvaarv elanikke iedzivotaju gyventoju gyventojai stanovnika
    stanovnistvo prebivalstvo prebivalci obyvatelstvo populatie populatia locuitori
    nepessege lakosok ibuad mbadhi πληθυσμος κατοικοι населення кількість жители السكان
    אוכלוסייה אוכלוסיה תושבים
    عدد_السكان الجملة ประชากร จํานวน อาคาร जनसंख्या pob pobl hab einw bev popul
    enrollees enrollee beneficiaries claimants recipients
    passengers passenger boardings ridership tourists guests immigrants emigrants
    totpop poptot pobtot popest tpop hhpop moves movers migrants migrations
    nights overnight_stays refugees prisoners teachers staff employed unemployed buildings houses
    schuler schueler schulerinnen schuelerinnen studierende lehrkrafte lehrkraefte kinder gaste
    gaeste ankunfte ankuenfte ubernachtungen uebernachtungen nachtigungen naechtigungen betten
    beschaftigte beschaeftigte erwerbstatige erwerbstaetige arbeitslose patienten bevoelkerung
    fluchtlinge fluechtlinge gebaude gebaeude betriebe unternehmen
    eleves etudiants enseignants chomeurs salaries emplois entreprises visiteurs voyageurs touristes
    nuitees refugies batiments
    alumnos alumnado estudiantes docentes profesores matriculados pacientes trabajadores ocupados
    desempleados empleados turistas visitantes pasajeros empresas refugiados edificios afiliados
    alunos estudantes matriculas professores trabalhadores empregados desempregados passageiros
    leitos beneficiarios pernoitas dormidas
    alunni studenti docenti insegnanti pazienti lavoratori occupati disoccupati addetti imprese
    arrivi presenze turisti visitatori passeggeri
    leerlingen studenten leraren werknemers werklozen bedrijven overnachtingen gasten passagiers
    elever studenter studerande larare laerere patienter sysselsatta arbetslosa gaster ansatte
    oppilaat opiskelijat matkustajat tyolliset tyottomat
    uczniowie uczniow studenci studentow nauczyciele pacjenci bezrobotni turysci
    zaci zaku ucitele pacienti tanulok hallgatok ogrenci ogretmen siswa murid mahasiswa wisatawan
    児童数 生徒数 学生数 学生人数 学生 학생수 учащиеся студенты
    personnes individuals individus individuos individui osoby osob persoane henkilot szemelyek
    individer enkeltpersoner მოსახლეობა მოსახლეობის_რაოდენობა բնակչություն جمعیت ابادی जनसङ्ख्या
    জনসংখ্যা จํานวนประชากร ປະຊາກອນ ប្រជាជន လူဦးရေ ሕዝብ хүн_ам хүн_амын_тоо өрхиин_тоо халық
    халық_саны aholi aholi_soni əhali əhalinin_sayı lakonepesseg nepessegszam становништво
    iedzivotaji rahvastik folkmangd ibuafjoldi popullsia idadi_ya_watu poblacio biztanleria
    poboacion hushall husholdninger kotitaloudet gospodarstwa_domowe domacnosti haztartasok
    gospodarie gospodarii домакинства домогосподарства домохозяиства νοικοκυρια hanehalkı
    ev_təsərrufatı rumah_tangga so_ho ครัวเรือน ຄົວເຮືອນ គ្រួសារ အိမ်ထောင်စု 가구 세대수 اسر خانوار
    گھرانے परिवार inscritos rostberattigade aanioikeutetut volici valasztopolgarok
    alegatori избиратели виборці εγγεγραμμενοι secmen pemilih cu_tri ผู้มีสิทธิเลือกตั้ง 有権者数
    選舉人數 선거인수 ناخبين मतदाता ученици учні μαθητες hoc_sinh นักเรียน طلاب विद्यार्थी victimes
    victimas vitimas vittime slachtoffers uhrit ofiary obeti жертвы deces defunciones obitos
    decessi todesfalle overledenen døde kuolleet zgony umrti halalozas decese смертеи θανατοι
    olum kematian naissances nacimientos nascimentos nascite geburten geboorten fødte syntyneet
    urodzenia narozeni szuletes nascuti displaced deplaces desplazados deslocados idps returnees
    retournes retornados migrantes migranti uprawnieni elevi inscritas deplaced victims familles
    familias familien familier cantidad quantidade quantita qtd qtde hechos
    rinder schweine uchazeci matricula vacunos bovinos ovinos porcinos rebano efetivo
    тоо саны soni sayisi จํานวน จํานวนบ้าน تعداد_خانوار
    عدد تعداد شمار число количество 件数 건수 개수 so_luong bilangan adet adedi sayısı skaits
    skaicius szama stevilo αριθμος lukumaara fjoldi الاسر संख्या সংখ্যা எண்ணிக்கை மக்கள்தொகை
    enfants ninos criancas bambini дети діти اطفال الاطفال تلاميذ التلاميذ طلبة الطلاب الطلبة
    المستفيدين المستفيدون beneficiaires получатели получателеи пенсионеры пенсионеров
    pensioners pensioner retraites pensionistas jubilados пациенты больные cas casos случаи
    случаев випадки حالات الحالات الوفيات المواليد рождения умершие vaccines vacunados
    vacinados geimpfte vaccinated dosis visites turistes arrivees llegadas chegadas
    travailleurs работники безработные беженцы اللاجيين النازحين votantes الناخبين detenus
    presos reclusos заключенные maestros lehrer учителя المعلمين nurses exploitations
    explotaciones accidents accidentes sinistros crashes дтп
    """
)
TOTAL = re.compile(
    r"(.*_)?(tot|total|totals|all|sum|grand_total|totale|insgesamt|gesamt|ensemble|overall|totaal|"
    r"ogolem|celkem|summe|總數|総数|合計|总计|計)(_.*)?|(num|no|number_of|n|nb|anzahl)_?(hh|hhs|households|"
    r"haushalte|menages)"
)
# Words in the names of columns that do not change what is counted.
CONNECTIVES = words("a an of the in by and or for per no num cnt sum size all tot abs est prov def")
CONNECTIVES |= words(
    "de la le les du des et di da do del della e dos y i das der die und nr z w u na"
)
CONNECTIVES |= words("o og och van het een tots")
SIZE = words(
    """
    size hhsize hh_size household_size group_size family_size fam_size familysize size_of_family
    case_size members n_persons np n_members
    household_members number_of_household_members number_of_hh_members
    number_of_persons_in_household persons_in_household people_in_household
    size_of_household haushaltsgrosse haushaltsgroesse taille_menage taille taille_du_menage
    tamano tamano_hogar tamanho tamanho_domicilio numero_componenti componenti ampiezza grosse
    hhgroesse huishoudgrootte hushallsstorlek 世帯人員 世帯人員別
    """
)
GROUP_ID = re.compile(
    r"(household|hh|hhd|house|dwelling|serial|family|housing_unit|firm|taxi|medallion|menage"
    r"|haushalts?|famiglia|domicilio|hogar|vivienda|foyer|logement|wohnungs?)"
    r"_?(id|no|nr|num|number|nummer|key|code)"
    r"|(id|num|numero|no|nr|n|cod|codice)_?(famiglia|menage|hogar|domicilio|vivienda|foyer|logement"
    r"|household|hh|haushalt|familia|agregado|dwelling)"
    r"|household|hhid|serialno|serial|medallion|epnum|haushalt|menage|famiglia|domicilio|hogar|taxi"
    r"|hh"
    r"|(hushold|husholdnings?|husstands?|hushalls?|kotitalous|kotitalouden|asuntokunta|asuntokunnan|"
    r"gospodarstwo|gospodarstwa|domacnost|domacnosti|haztartas|huishouden|huishoud|leibkonna|"
    r"hane|agregado|nucleo)_?(id|no|nr|num|number|nummer|numero|kode|kod|sira_?no|tunnus|numer|cislo)"
    r"|(numer|nr|cislo|id)_?(gospodarstwa|domacnosti|haztartas|husstand|husholdning)"
    r"|(id|num|numero|no|nr|n|cod|codigo)_(alojamento|agregado|hogar|foyer|menage|nucleo)_.*"
)
PERSON = re.compile(
    r"(person|individual|respondent|pupil|patient|worker)(_?(id|no|nr|num|number|key))?|pid|pnum|"
    r"event_?id(_cnty)?|"
    r"(student|employee|emp|child|case|admission|stay|member|applicant|claimant|pers|person(al|en)|"
    r"patienten|schuler|mitarbeiter)_?(id|no|nr|num|number|nummer|key)|persid|pernum|num_pat|folio|"
    r"id_?(person|persona|pers|individuo?|personne|pessoa|paciente|patient|alumno|eleve)|"
    r"year_of_birth|date_of_birth|geburts(jahr|datum|tag)|(annee|date)_(de_)?naissance|"
    r"(fecha|ano)_(de_)?nacimiento|(anno|data)_(di_)?nascita|(ano|data)_(de_)?nascimento|"
    r"onset_date|date_of_onset|date_of_admission|admission_date|hv10[0-9]|hvidx|v012|v013|"
    r"lopnr|kon|koen|fodelsear|fodar|sukupuoli|ika|geslacht|leeftijd|plec|wiek|pnr|rinpersoon|"
    r"mother_age|maternal_age|(pupil|student|patient|person)_(.*_)?ref(erence)?|"
    r"age|alter|edad|eta|idade|sex|gender|geschlecht|sexe|sexo|sesso|relationship|relship|qage|qsex"
    r"|marital(_status)?|occupation|birth_?(year|date)|dob|first_?name|surname|education"
    r"|kjonn|alder|fodsels(ar|dato)|fodselsaar|cinsiyet|sivilstand|civilstand|familiestilling"
    r"|(last|given|family|middle)_?names?|forenames?|surnames?|vornamen?|nachnamen?|familiennamen?"
    r"|prenoms?|nom_de_famille|apellidos?|(primer|segundo)_apellido|cognomi?e?|sobrenome|voornaam"
    r"|achternaam|fornavn|etternavn|efternavn|fornamn|efternamn|etunimi|sukunimi|imie|nazwisko"
    r"|jmeno_osoby|prijmeni|priezvisko|keresztnev|vezeteknev|soyadi?"
)
NUMBER_OF_RECORD = re.compile(  # of a single journey
    r"(trip|ride|rental|journey|transaction|order|fahrt|trajet|course|viaje|viagem|corrida|viaggio)"
    r"_?(id|no|nr|num|number|uuid|key)|(id|num|numero)_(viaje|viagem|trajet|corrida|viaggio)|uuid|guid"
)
WEIGHT = re.compile(  # how many people of the population one survey respondent represents
    r"(.*_)?(p|hh|h|per|pers|person|ind|fam|asec|earn|asup|edsupp|fin|final|design|sampl(e|ing)|survey|"
    r"cross|long|psp|an|d|i|f|s|a)?_?"
    r"(wt(finl|supp|[hpfs])?|wgtp?|wght|weights?|gewicht(e|ung)?|hrf|hochr(f|echnung)?|poids|"
    r"pond(era(tion|cao|cion|dor)?|ih|iio?|[il])?|peso|fator|factor(e[lx]p?|ext|exp)?|fexp?|fex_c|"
    r"facteur|pesofam|expansion|elevacion|coefelev|extrapolation|extri(an)?|ponderat(ie|or)|"
    r"(hochrechnungs|gewichtungs|weeg|wegings|ophoog|grossing)_?(up_?)?fa[ck]tor|"
    r"coeff?(icient[eo]?)?_(de_)?(extrapolation|elev.*|exp.*|pond.*)|vikt|vekt|vaegt|waga|vaha|suly|"
    r"paino(kerroin)?|agirlik|tezina|utez|乗率|集計用乗率|가중치|权数|权重)(_.*|[0-9]*)"
    r"|fac_?(per|pers|persona|viv|hog|ind|exp|pob|mod|sel|[0-9]{2,4}[a-z]?)"
    r"|pw|pweight|hv?005|v005|mv005|ipw|(rb|pb)0[45]0|db090"
)
ORIGIN = (
    r"(origin|orig|o|y1|from|home|h|residence|res|por|pickup|pu|source|src|start|origen|origem|origine|"
    r"herkunft|wohnort|quelle|depart|retiro|salida|partida|departure|place_of_residence|"
    r"previous|prev|former|anterior|precedente|anterieure?|vorher|"
    r"residence_place|domicile|lieu_de_(residence|domicile)|lugar_de_residencia|luogo_di_residenza|"
    r"miejsce_zamieszkania|woonplaats|asal|出発地|常住地)"
)
DESTINATION = (
    r"(destination|dest|d|y2|to|work|w|pow|workplace|lav|dropoff|do|asylum|target|dst|end|destino|destinazione|"
    r"ziel|arbeitsort|trabajo|trabalho|lavoro|arrivee|arribo|llegada|chegada|arrival|"
    r"current|actual|atual|attuale|actuelle?|nachher|"
    r"place_of_work|work_place|lieu_de_travail|lugar_de_trabajo|local_de_trabalho|luogo_di_lavoro|"
    r"miejsce_pracy|werkplaats|tujuan|到着地|従業地)"
)
PARENT = words(
    """
    parent parent_id parent_code parentid parentcode above belongs_to part_of parent_geo
    parent_geoid ubergeordnet superior upper_code
    """
)
LATITUDE = words(
    """
    intptlat lat latitude intptlat10 intptlat20 y_lat breitengrad latitud
    latitud_etrs89 latitudine latitud_wgs84 latitude_wgs84
    """
)
LONGITUDE = words(
    """
    intptlong intptlon lon lng long longitude intptlon10 intptlon20 intptlong10 x_lon langengrad
    longitud longitud_etrs89 longitud_wgs84 longitudine longitude_wgs84
    """
)
# Numbers that are not counts, and columns that describe the table.
NOT_A_COUNT = re.compile(
    r"(.*_)?(area|aland|awater|sqmi|sq_?mi|sq_?km|km2|qkm|hectares?|ha|flache|superficie|superf|"
    r"density|densite|dichte|dichtheid|dich|dens|densita|densidade|densidad|gestosc|tathet|tetthed|tethed|hustota|suruseg|pct|percent|percentage|share|rate|ratio|median|mean|"
    r"average|avg|income|wages?|payroll|pay|earnings|salary|salaries|turnover|revenues?|elevation|altitude|altitud|altura|hoehe|lat|lon|lng|latitude|longitude|intptlat|intptlong?|rank|lokata|pozycja|"
    r"rangplatz|position|posizione|puesto|sijoitus|decile|decil|dezil|quintile|quartile|percentile|"
    r"ranking|growth|change|index|moe|margin|km|distance|distancia|duration|duracao|duracion|se|cv|perimeter|shape_.*|eastings?|northings?|bng_[en]|utm_[xyen]|coord_?[xy]|[xy]_?coord|anteil|taux|part|面積|密度|率|"
    r"zip|zipcode|postcode|plz|phone|funcstat|area_?km2|inegi_alt)([0-9]{2})?(_.*)?"
    r"|(.*_)?[xy]|[xy]_.*|.*(dichte|dichtheid|tathet|tetthet|taethed|tiheys|hustota|gestosc)"
)
# Statistics of a region that are not counts of what lies in it.
STATISTIC = re.compile(
    r"(.*_)?(rate|rates|ratio|per_?cent|percentage|pct|per_(household|family|huishouden|gezin)|share|density|average|avg|mean|median|index|"
    r"expectancy|confidence|ci|lci|uci|lower|upper|change|growth|price|prices|per_capita|score|gini|"
    r"quote|quota|anteil|durchschnitt.*|preis|preise|prix|prezzo|precio|taux|tasa|tasso|taxa|moyenne|"
    r"media|mediana|mediane|lebenserwartung|temperature|rainfall|humidity|pressure)(_.*)?"
)
# Medians, means, shares, rates and index numbers in the languages of many offices. The words are
# whole or begin compounds, as in "Medianlohn". Words that also name levels of education, such as
# "medio", count only beside a word for pay, age or the like.
_PAID = (
    r"(salarios?|rendas?|rentas?|rendimentos?|rendimientos?|ingresos?|ganhos?|ganancias?|redditi?o?|"
    r"retribuzioni?e?|valore?s?|precios?|precos?|prezz[oi]|gastos?|cost[eio]s?|custos?|sueldos?|"
    r"edad|idade|eta|tamano|tamanho|consumo|revenus?|salaires?|ages?|niveau|prix|loyers?|montant|"
    r"wiek|wynagrodzeni[ea]|dochody?|cena|ceny|placa|place)"
)
AVERAGE = re.compile(
    r"(.*_)?(median[a-zøæå]*|mediaan[a-z]*|mediaani[a-z]*|medyan[a-zı]*|average|averages|mean|"
    r"durchschnitt[a-z]*|mittelwerte?|mittlere[rsn]?|gemiddeld[a-z]*|modaal|genomsnitt[a-z]*|"
    r"medel(inkomst|alder|lon|varde|hyra|pris)[a-z]*|gennemsnit[a-zøæå]*|"
    r"middel(værdi|alder|levetid|løn)[a-z]*|gjennomsnitt[a-zøæå]*|snitt(lønn|alder|inntekt|pris)|"
    r"keski(tulo|ika|arvo|hinta|palkka|maara)[a-z]*|keski_ika|srednia|przecietn[a-z]*|ortalama[a-zı]*|"
    r"moyenne?s?|promedios?|"
    r"per_?cent|percents?|percentages?|[a-z]*percentage|pourcentages?|prozent[a-z]*|porcentajes?|"
    r"percentagem|porcentagem|percentual[ei]?|procent[a-zø]*|[a-zåäöøæ]*procent|prosent[a-zø]*|"
    r"[a-zåäöøæ]*prosent|prosentti[a-z]*|odsetek|yuzde|pct|"
    r"share|shares|anteile?|part_(de|des|du|d)|proportions?|proporcion|proporcao|aandeel|andel|andelen|"
    r"udzial|osuus|[a-z]*osuus|quota_(di|de|dei|delle)|"
    r"rate|rates|taux|[a-z]*quote|tasas?|taxas?|tass[oi]|stopa|stopy|"
    r"(tyottomyys|tyollisyys)aste|orani|oranı|"
    r"index|indices|indice|indizes|indeks|indeksi|endeksi?|wskaznik|densite|densidade?|densita|"
    r"中央値|中位数|平均[^_]*|[^_]*率|割合|[^_]*指数|構成比|比例|百分比)(_.*)?"
    rf"|(.*_)?{_PAID}(_.*)?_medi[oa]s?(_.*)?|(.*_)?{_PAID}_medi[oa]s?(_.*)?"
    rf"|(.*_)?{_PAID}(_.*)?_moyens?|(.*_)?sredni[ae]?_{_PAID}(_.*)?"
)
CONCENTRATION = re.compile(  # measured in water, air or soil, such as "Nitrogen µg/l"
    r"(.*_)?([kmnuμ]?g(_[a-z]{1,3})?_(l|dl|ml|m3|kg)|[mnuμ]?mol_(l|kg|m3)|[mμu]s_c?m|m3_s|ppm|ppb|ntu|"
    r"km_h|d_b_a|hpa)(_.*)?"
)
PER_MANY = re.compile(  # a rate, such as "deaths per 100 000 people"
    r"(.*_)?(per|je|pro|pour|par|por|cada|ogni|pr|na|auf|op|pa|prom|uz)_"
    r"(100|1_?000|10_?000|100_?000|1_?000_?000|1000s?|10k|100k|mil|tysiac|tusen|thousand|tausend)"
    r"(_.*)?"
    r"|.*(千|万|百|100|1,?000)人?(当たり|あたり|当り|対).*"
)
POSTAL = re.compile(  # codes of areas of letters
    r"(.*_)?(zip|zip_?code|zcta[0-9]?|postcode|plz|postleitzahl|postal_?code|cod(e|igo)?_?postal(e)?|"
    r"postnummer|postinumero|kod_pocztowy|郵便番号)"
)
ROW_NUMBER = re.compile(
    r"(unnamed.*|column [0-9]+|index|x|rownames|row_?names?|row|row_?(id|no|nr|number)|fid|"
    r"objectid|object_id|ogc_fid|gid|no|nr|lfd_nr|serial_no|s_no|sr_no|sl_no|#|id|_id|ord|pos|通番)"
)
ABOUT_THE_ROW = re.compile(
    r"(.*_)?(note|notes|footnote|footnotes|source|table_(name|number|no|nr|code|id|title)|comment|comments|remark|remarks|bemerkung|url|link|"
    r"wikidata|timestamp|flag|flags|nf|obs_flag|obs_status|conf_status|decimals|updated|last_update|createdate|"
    r"dataflow|structure|structure_id|structure_name|action|geometry|geom|wkt|wkb|the_geom|lsad|"
    r"classfp|mtfcc|funcstat|ansicode|gnis|date_modified|symbols?|備考)(_column_[0-9]+)?"
    r"|vector|coordinate|scalar_(factor|id)|uom|uom_id|terminated|record_count|unit_mult|base_per"
)
# The population at the start or at the end of a year, as columns or as cells.
STOCK = re.compile(
    r"(.*_)?(start|starts|beginning|end|opening|closing)_(of_)?(the_)?(year|period|month|quarter|"
    r"balance|stock)(_.*)?"
    r"|(.*_)?(jahres(anfang|ende|beginn)|(jahr_)?(anfang|ende)_(des_)?jahres?|quartals(anfang|ende))(_.*)?"
    r"|(.*_)?(begin|einde|eind)_(van_)?(het_|de_)?(jaar|periode|maand|kwartaal)(_.*)?"
    r"|(.*_)?(debut|fin)_(de_|d_)?(l_)?(annee|periode)(_.*)?"
    r"|(.*_)?(inicio|comienzo|final|fin|fim)_(de_|del_|do_)?(ano|periodo)(_.*)?"
    r"|(.*_)?(inizio|fine)_(d_|dell_|di_|del_)?(anno|periodo)(_.*)?"
    r"|(.*_)?(primo|ultimo)(_(aret|ar|kvartalet|(19|20)[0-9]{2}))?"
    r"|(.*_)?(arets_|ved_arets_)(begyndelse|slutning|begynnelse|slutt|utgang|borjan|slut)(_.*)?"
    r"|(.*_)?(vuoden_(alussa|lopussa|alku|loppu)|(poczatek|koniec)_(roku|okresu)|yil_(basi|sonu))(_.*)?"
    r"|(.*_)?(年初|年末|期首|期末)(_.*)?"
    r"|(.*_)?(1|31|01)_(january|december|jan|dec|januari|januar|dezember|desember|janvier|decembre|"
    r"enero|diciembre|janeiro|dezembro|gennaio|dicembre|stycznia|grudnia)(_.*)?"
)
# Differences between counts, such as net migration, in the languages of many offices.
CHANGE = re.compile(
    r"(.*_)?(net|npop_?chg[a-z]*|n?pop_?chg|netmig|natural(chg|inc)|change|changes|increase|decrease|"
    r"growth|surplus|balance|difference|saldos?|soldes?|[a-z]*saldo|variations?|accroissements?|"
    r"excedents?|variaciones|variacion|crecimiento|incremento|variacao|variacoes|crescimento|"
    r"variazion[ei]|incremento|saldi|crescita|[a-z]*uberschuss|[a-z]*zuwachs|[a-z]*zunahme|"
    r"[a-z]*abnahme|[a-z]*veranderung(en)?|toename|afname|groei|verandering|[a-z]*overschot|"
    r"[a-z]*okning(en)?|[a-z]*overskott|[a-z]*overskud|[a-z]*overskudd|tilvakst|[a-z]*tilvækst|"
    r"[a-z]*vekst|forandring|endring|[a-z]*muutos|[a-z]*lisays|[a-z]*voitto|przyrost|zmiana|"
    r"prirustek|prirastok|zmena|novekedes|szaporodas|valtozas|artis|artıs|net_goc|"
    r"增减|增加数|増減|増減数|[^_]*増減[^_]*|증감)([0-9]{2,4})?(_.*)?"
)
YEAR = re.compile(
    r"(.*_)?(year|jahr|stichtag|annee|an|ano|anno|date|time|time_period|period|periods|periode|periodo|perioade|perioada|quarter|"
    r"month|fecha|datum|jour|dia|tanggal|tarih|heure|hora|uhrzeit|ora|census_?year|referenceperiod|ref_date|年|年次|時点|datetime)(_.*)?"
    r"|(.*_)?(data|dt)_(di|de|da|do|del|nasc.*|ricov.*|ingr.*|dim.*|intern.*|entrad.*|said.*|obito)(_.*)?"
    r"|(.*_)?(tahun|taon|mwaka|godina|leto|viti|urte|sanat)(_.*)?|nam|thn|sal"
    r"|zeit|perioden|tijd|ar|aar|ars|tid|jaar|rok|roky|vuosi|ev|god|aasta|gads|metai|yil|год|рік|연도|年度|년"
)
# Words for months in the names of columns, also together with a year.
MONTHS = words(
    """
    month months mes meses mois monat mese maand manad maned miesiac mesic kuukausi bulan luna honap
    menuo menesis kuu ay yearmonth year_month anomes annomese anneemois yyyymm jaarmaand period
    periode periodo periodos 月 年月 년월 월
    """
)
# Months without a year, as `plain_name` returns them.
MONTH_NAMES = words(
    """
    january february march april may june july august september october november december jan
    feb mar apr jun jul aug sep oct nov dec januar februar marz mai juni juli oktober dezember
    okt dez sept janvier fevrier mars avril juin juillet aout septembre octobre novembre
    decembre janv fevr avr juil enero febrero marzo abril mayo junio julio agosto septiembre
    octubre noviembre diciembre ene abr ago dic janeiro fevereiro marco maio junho julho
    setembro outubro novembro dezembro fev set out gennaio febbraio aprile maggio giugno luglio
    settembre ottobre dicembre gen mag giu lug ott januari februari maart mei augustus mrt
    styczen luty marzec kwiecien maj czerwiec lipiec sierpien wrzesien pazdziernik listopad
    grudzien stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika
    listopada grudnia augusti marts tammikuu helmikuu maaliskuu huhtikuu toukokuu kesakuu
    heinakuu elokuu syyskuu lokakuu marraskuu joulukuu tammikuuta helmikuuta maaliskuuta
    huhtikuuta toukokuuta kesakuuta heinakuuta elokuuta syyskuuta lokakuuta marraskuuta
    joulukuuta ocak subat mart nisan mayıs haziran temmuz agustos eylul ekim kasım aralık maret
    agustus desember ianuarie februarie martie aprilie iunie iulie septembrie octombrie
    noiembrie decembrie leden unor brezen duben kveten cerven cervenec srpen zari rijen prosinec
    ledna unora brezna dubna kvetna cervna cervence srpna rijna listopadu prosince marcius
    aprilis majus junius julius augusztus szeptember январь февраль март апрель маи июнь июль
    август сентябрь октябрь ноябрь декабрь января февраля марта апреля мая июня июля августа
    сентября октября ноября декабря січень лютии березень квітень травень червень липень серпень
    вересень жовтень листопад грудень січня лютого березня квітня травня червня липня серпня
    вересня жовтня листопада грудня يناير فبراير مارس ابريل مايو يونيو يوليو اغسطس سبتمبر اكتوبر
    نوفمبر ديسمبر ιανουαριος φεβρουαριος μαρτιος απριλιος μαιος ιουνιος ιουλιος αυγουστος
    σεπτεμβριος οκτωβριος νοεμβριος δεκεμβριος ιανουαριου φεβρουαριου μαρτιου απριλιου μαιου
    ιουνιου ιουλιου αυγουστου σεπτεμβριου οκτωβριου νοεμβριου δεκεμβριου sijecanj veljaca ozujak
    travanj svibanj lipanj srpanj kolovoz rujan studeni prosinac sijecnja veljace ozujka travnja
    svibnja lipnja srpnja kolovoza rujna studenoga prosinca
    """
)
# Words before "unit" that make it a unit of places and not of measurement.
_OF_PLACES = """
    administrative admin territorial statistical spatial geographic geographical area org
    organisation organization organisational organizational government electoral census health
    planning community enumeration political subnational
"""
_UNIT = "".join(rf"(?<!{word}_)" for word in _OF_PLACES.split()) + "unit"
# Categories by which a table may be broken down: every region then has a row for each value.
CATEGORY = re.compile(
    rf"(.*_)?({_UNIT}|"
    r"sex|gender|geschlecht|sexe|sexo|sesso|age|age_?group|agegrp|agegroup|alter|altersgruppe|"
    r"edad|eta|idade|faixa_etaria|variable|variables|indicator|measure|measures|item|series|metric|"
    r"statistic|stat|units_?of_?measure|freq|frequency|dim|concept|category|class|klasse|"
    r"population_group|nationality|citizen|citizenship|ethnicity|ethnic_group|race|religion|education|marital|tenure|"
    r"type|typ|typology|tipo|kind|status|urban_?rural|urban|rural|tru|situacao|merkmal|label_type|dwelling_type|"
    r"nationalities|staatsangehorigkeit|staatsburgerschaft|nationalitat|nationalite|nazionalita|"
    r"nacionalidade?|cittadinanza|ciudadania|obywatelstwo|statsborgerskab|medborgarskap|国籍.*|"
    r"hh_?type|characteristic|.*categor(y|ies)|indic.*|nace.*|isced.*|wstatus|c_birth|citizenship|性別|年齢|男女|年齢階級|"
    r"kon|kjonn|kjønn|køn|koen|sukupuoli|geslacht|plec|pohlavi|pohlavie|nem|sugu|dzimums|lytis|spol|cinsiyet|"
    r"jenis_kelamin|пол|стать|성별|성|alder|leeftijd|wiek|vek|ika|vanus|amzius|dob|starost|umur|yas|"
    r"aldur|kyn|vecums|eletkor|korcsoport|varsta|gjinia|mosha|grup_?mosha|ηλικια|φυλο|възраст|старост|"
    r"גיל|מין|العمر|عمر|فئة_العمر|الفئة_العمرية|الجنس|جنس|سن|年齡|年龄|性别|tuoi|gioi_tinh|nhom_tuoi|อายุ|เพศ|"
    r"სქესი|ასაკი|սեռ|տարիք|लिंग|आयु|लिङ्ग|उमेर|লিঙ্গ|বয়স|jinsia|umri|inscne|aois|oedran|rhyw|"
    r"adina|sexua|edat|жынысы|жасы|хүис|"
    r"возраст|вік|연령|나이|characteristic_name|characteristic_id|turno|vuelta|"
    r"fasciaeta|fasce_eta|classeeta|grupo_?(edad|etario)|grupos_etarios|faixaetaria|rango_?edad|tranches?_?age|"
    r"altersklassen?|aldersgruppe|aldersklasse|aldersgrupp|leeftijdsgroep|leeftijdsklasse|ikaryhma|vekova_skupina|"
    r"(lloc|lugar|lieu|luogo|local|pais|pays|paese|country|place|region|land)_(de_|di_|do_|of_)?"
    r"(naix|naixement|nacim|nacimiento|naissance|nascita|nascimento|nasc|birth)|"
    r"mode|actors?_?[0-9]?|perpetrators?|delitos?|offen[cs]es?|reat[oi]|infractions?|straftat|lovbrudd|brottstyp)"
    r"(_.*)?"
)
# Rounds of an election, in each of which the same people vote.
ROUND = re.compile(  # of an election, a survey or an assessment
    r"(.*_)?(turno|vuelta|wahlgang|kierros|tour_(de_)?scrutin|num_?tour|round|rounds|ronda|rodada|"
    r"wave|welle|vague)(_.*)?"
)
# Columns that say what the number of a row is: numbers of several measures have no sum.
MEASURE = re.compile(
    r"(.*_)?(variables?|indicators?|measures?|items?|series|metrics?|statistics?|units?|"
    r"units?_of_?measure|concept|contents?|tiedot|innehall|tabellinnhold|statistikkvariabel|"
    r"indic.*|merkmal|characteristics?|population_type|variavel|grandeza|tipo_dato[0-9]*)"
    r"(_(code|id|name|label))?"
)
CODE = re.compile(
    r"(.*_)?(code|kode|kodu|kodi|koodi|kood|kods|sifra|codigo|codice|id|fips|geoid|cod|cd|nuts|key|nr|cve|gkz|ags|ars|insee|codgeo|ibge|"
    r"bfs|istat|kod|teryt|siruta|oktmo|okato|katottg|koatuu|gss|lau|uf|ons|mnemonic|[cp](pro|mun|prov|dep|reg|com)|codprov|codmun|cumun|cusec|"
    r"cod(reg|dep|arr|can|com))"
    r"(_.*)?[0-9]{0,2}|.*(code|fips|geoid|gisjoin)[0-9]{0,2}|"
    r".*(zone|state|county|location|region|area|place|object|district)id|.*(コード|番号)|"
    r".*(pro_com|lau_id|lsoa|msoa|ansi).*|.*(19|20)?[0-9]{2}cd"
)
PLACE = re.compile(
    r"zona|muni(_|$)|(^|_)boro(_|$)|(^|_)(beat|precinct)(_|$)|country|(^|_)nation|(^|_)land(_|$|e|kod|kreis|s)|staat|pays|pais|paese|(?<!e)state|region|bundesland|provin|prefecture|gouvernorat|governorate|muhafa[zd]a|county|kreis"
    r"|departa?e?ment|canton|kanton|distri[ck]?t|bezirk|arrondissement|municip|commun|comun|gemeinde"
    r"|kommun|concelho|town|(?<!apa)(?<!elo)(?<!tri)(?<!ni)(?<!bli)(?<!xi)(?<!car)city|village|(?<![aer])(?<!or)ward|parish|borough|(^|_)(census_?)?tract|block|directorate|"
    r"faculty|(^|_)(team|branch|section|service)(_|$)|zone|area|(?<!birth)(?<!birth_)place|locality"
    r"|settlement|(^|_)(lau|nuts|uf|lan|mun|loc|ent|oa|lad|lga|sa[1-4]|geo|geoid|code|name|id|ort|ville|la|bg)(_|$)"
    r"|gemeente|kunta|constituency|circonscription|circunscripcion|entidad|shehia|upazila|thana"
    r"|(^|_)geo(lev)?[0-9][a-z]?(_|$)|(^|_)puma([0-9]{2,4})?$|(^|_)regio(_|$)|quartier|barangay|neighbou?rhood|stadtteil|ortsteil"
    r"|kecamatan|kabupaten|kelurahan|(^|_)desa(_|$)|wijk|buurt|enumeration_area|taluk|tehsil|mandal|estado|barrio|fylke|wojew|powiat|gmina|kraj|okres|obec|oblast|ra[iy]on"
    r"|gebiets?(nummer|nr|name|schlussel|code|kennung|einheit)|megye|jaras|territor|freguesia|ciudad|cidade|stadt|ripartizione|hamlet|station|estacion|(?<!g)estacao|bahnhof|haltestelle|(?<!pre)(?<!pre_)school|(?<!web)site"
    r"|airport|aeroport|aeropuerto|aeroporto|flughafen|lufthavn|flygplats"
    r"|(^|_)(reg|dep|dept|dpto|depto|prov|distr?|sub_?dist|cnty|cty|vill|twp|mpio|com|iris|epci|edo|kab|kec|kel)(_|$)|(^|_)(zip|zip_?code|zcta[0-9]?|postcode|plz)$"
    r"|(^|_)adm(in)?_?[0-9](_|$|name|code|pcode)|(^|_)(cercle|practices?)(_|$)|(^|_)judet|jurisdic|sous_prefecture|localitat|(^|_)authorit(y|ies)(_|$)|ob[cč]in|op[cč]in|(^|_)(il|ilce)(_|$)|sveitarf"
    r"|(^|_)(council|parlimen|parliament|electorate|camp|hromada|dzongkhag|gewog|atoll|woreda|kebele"
    r"|fokontany|suco|bashkia|mahalle|mukim|negeri|daerah|amphoe|tambon|changwat|huyen|tinh|purok"
    r"|wilaya|daira|corregimiento|comarca|concello|parroquia|zila|chiefdom|savivaldybe|apskritis"
    r"|maakond|novads|pagasts|naselje|suburb|hospital|clinic|localidad)(_|$)|aire_de_sante|zupanij"
    r"|(^|_)board(_|$)|(^|_)(bydel|stadsdel|oevk|szavazokor|okrug|circoscrizion|sveitarfelag)(e|ar|er|i|s|navn|nr)?(_|$)"
    r"|都道府県|市区町村|市町村|地域|地区|県|市|町|区|省|市名|시도|시군구|район|область"
    r"|^(ctry|rgn|cty|ctyua|utla|ltla|lad|msoa|lsoa|oa|wd|par|parncp|pcon|ced|icb|ttwa|pfa)[0-9]{2}(cd|nm)$"
)
# Numbers of places, such as the schools of a district, of which each row has a number.
PLACES_COUNTED = re.compile(
    r"(.*_)?(schools|villages|hamlets|towns|cities|districts|subdistricts|wards|parishes|blocks|zones|"
    r"areas|stations|sites|places|settlements|communes|communities|localities|neighbou?rhoods|"
    r"hospitals|clinics|practices|airports|boards|camps|municipalities|boroughs|constituencies|"
    r"precincts|teams|branches|sections|services|provinces|regions|quarters|councils|"
    r"escuelas|colegios|aldeas|localidades|municipios|distritos|barrios|estaciones|hospitales|"
    r"departamentos|provincias|regiones|ecoles|villes|quartiers|arrondissements|gemeinden|schulen|"
    r"orte|ortsteile|kreise|stadte|bezirke|kommuner|skoler|skolor|byer|escolas|cidades|aldeias|"
    r"freguesias|bairros|comuni|scuole|szkoly|gminy|powiaty|obce|skoly|scholen|gemeenten|kunnat|koulut)"
)
# Classes of a school where each has a row; otherwise categories of what is counted.
SCHOOL_CLASS = re.compile(r"((school|schul)_?)?(class|klasse|classe|clase|klas|klass|luokka|turma)")
LANGUAGES = words(
    """
    nl fr de en it es pt ca eu gl sv fi no da pl cs sk hu ro bg el ru uk ar he ga cy eng fra fre deu
    ger ita spa nld dut swe fin english french german dutch spanish
    """
)
# Names of persons who are in charge of a region or a row, and are not regions.
IN_CHARGE = re.compile(
    r"(.*_)?((klassen)?lehrer|teacher|head_?teacher|ansprechpartner|contact|leiter|mayor|principal|"
    r"burgermeister|maire|alcalde|sindaco|enumerator|interviewer|supervisor|docente|enseignant|"
    r"encuestador|maestro|profesor|tutor|manager|officer|opettaja|larare|laerer)"
    r"(_?(in|innen|e|a|person|name))?(_in)?"
)
LABELS = words(
    """
    name label title code id fips geoid key nr abbr abbrev abbreviation txt text kod kodas cod kodu
    kodi koodi kood kods sifra cd nm
    """
)
# What joins to a word for regions in the name of a column: "LIBGEO", "CODGEO", "gemeentenaam".
_JOINED_LABEL = re.compile(
    r"(?:code?|kode|lib|libelle|nom|nome|naam|desc)(geo|iris|epci|com|dep|reg|arr|can|mun|prov|[a-z]{5,})|"
    r"([a-z]{5,})(?:code|kode|naam|name|navn|namn|nr|nummer|desc|bez|schlussel|fips|nimi)|"
    r"([a-z]{2,6}[0-9]{2})(?:cd|nm)"
)
NAMES_OF_A_YEAR = re.compile("[a-z]{2,6}[0-9]{2}nm")  # "LAD22NM" beside "LAD22CD"
_JOINED_NAME = re.compile(
    r"(lib|nom|desc)[a-z]{3,}|[a-z]{5,}(naam|name|navn|namn|desc|bez|nimi)|"
    f"{NAMES_OF_A_YEAR.pattern}"
)
_NAME_WORDS = words(
    """
    name label title txt text desc description descr descripcion denominazione denominacion nome nom
    nombre nm naam navn namn naziv nazwa nazev nimi nama adi adı pavadinimas nosaukums nimetus
    denumire bezeichnung lib libelle l 名称
    """
)
_CODE_WORDS = LABELS - {"name", "label", "title", "txt", "text", "nm"} | words(
    "codigo codice kode number num numero no nummer schlussel cve"
)


def subject_of(plain: str) -> frozenset[str]:
    """Return the words of a name that say what it is about, without those for codes and names.

    >>> subject_of("libgeo") == subject_of("codgeo") == {"geo"}
    True
    >>> subject_of("county_desc") == subject_of("county_id") == {"county"}
    True
    """
    parts = [part for part in plain.split("_") if part not in _NAME_WORDS | _CODE_WORDS]
    joined = [_JOINED_LABEL.fullmatch(part) for part in parts]
    return frozenset(
        next(filter(None, match.groups())) if match else part
        for match, part in zip(joined, parts, strict=True)
        if part
    )


def says_name(plain: str) -> bool:
    """Return whether a name has a word for names, such as "desc", or begins with "lib".

    >>> says_name("county_desc"), says_name("libgeo"), says_name("lad22nm"), says_name("county")
    (True, True, True, False)
    """
    return any(part in _NAME_WORDS or _JOINED_NAME.fullmatch(part) for part in plain.split("_"))


MISSING = (
    r"(:|\.{1,3}|[-–—−]+|x|X|\*+|n/?a|NA|N/A|nan|NaN|null|NULL|None|c|…|\*\*\*|\(\w\)|: ?[a-z]|"
    r"\[[a-z]{1,3}\]|\.{1,3} ?[A-Z]|n\. ?[adv]\.?|n/[dv]|s\. ?d\.?|k\. ?A\.?|/{1,3}|[•·]|np|nd)"
)
# What may follow a number without being part of it: flags and footnote marks.
FLAG = (
    r"( ?[a-z]{1,3}| ?[CDEFNPRSUZ]| ?\[[a-z]{1,3}\]| ?[*†‡#]{1,3}| ?\([0-9a-zA-Z*†‡]{1,2}\)|"
    r" [0-9]{1,2}\)|"
    r" ?[a-zA-Z*†‡]\)| ?[⁰¹²³⁴-⁹⁽⁾]+)"
)

LEVEL_OF_ROW = re.compile(
    r"(territorial|geographic(al)?|geo|area|regional?|spatial|admin(istrative)?|location)_level(_code)?|"
    r"sumlev|summary_level|summarylevel|geo_?level|geography_?level|geographic_level|levl_code|"
    r"(.*_)?(szintje|szint|poziom|uroven|stupen)|(alueen|alue)_?taso|nivel_(territorial|geografico)|"
    r"niveau_geographique|livello_territoriale|"
    r"nuts_level|(regional|gebiets|raum|verwaltungs)?ebene|niveau|nivel|area_type|geo_type|record_type|rec_type|level"
)
LEVEL_WORDS = words(
    """
    country nation land staat pays pais paese state states region regions bundesland province
    provincia provinz prefecture county counties kreis kreise departement department canton kanton
    district districts bezirk bezirke arrondissement municipality municipalities municipio
    municipios commune communes comune comuni gemeinde gemeinden kommun kommune kommuner concelho
    concelhos town towns city cities village villages ward wards parish parishes borough boroughs
    tract block zone
    area locality settlement subdistrict sub_district subcounty sub_county council subdistt taluk
    tehsil mandal estado fylke lan
    wojewodztwo powiat gmina kraj okres obec oblast raion rayon megye jaras freguesia stadtkreis
    landkreis kreisfreie_stadt krfr_stadt regierungsbezirk stadtteil ortsteil gemeente gemeenten
    wijk wijken buurt buurten provincie landsdeel corop_gebied unitary_authority metropolitan_county
    metropolitan_district non_metropolitan_district london_borough census_division
    census_subdivision entidad entidade nacional dissemination_area census_tract block_group
    barangay barrio barris districte
    vármegye varmegye fővaros fovaros főváros nagyregio nagyrégió regio régió orszag ország járás
    ripartizione regione sub_county division location sub_location constituency national
    bund bundesgebiet federation wahlkreis wahlkreise wahlbezirk circonscription circoscrizione
    circunscripcion comarca voblast rayonu ilce ilçe
    都道府県 市区町村 市町村 시도 시군구 읍면동
    """
)
MAX_LEVELS_OF_ROWS = 8  # levels that such a column names
TOTAL_WORDS = words(
    """
    total totals grand_total sum all overall totale summe insgesamt gesamt total_general
    total_geral ensemble totaal razem suma ogolem celkem totalt i_alt yhteensa sum_total
    all_areas all_regions all_sizes all_households total_households total_population insgesamt_total
    総数 合計 計 全国 总计 合计 합계 계 전국 итого всего
    sub_total subtotal jumlah toplam genel_toplam ukupno skupaj spolu osszesen samtals kokku
    kopa is_viso jami barlyqy барлыгы жами разом усього всього общо укупно συνολο סהכ المجموع مجموع
    اجمالي الاجمالي الجملة جملة جمع کل รวม tong tong_so tong_cong kabuuan jumla 小計 總計
    合計 总计 小计 총계 소계 total_nacional total_national total_pais
    gesamtsumme gesamtergebnis totale_complessivo totale_generale eindtotaal totaal_generaal
    totalsumma totalsum loppusumma kokonaissumma kogusumma suma_koncowa celkovy_soucet vegosszeg
    skupna_vsota общии_итог обща_сума γενικο_συνολο جمع_کل ยอดรวม total_result 總和 総計
    koko_maa hela_landet hele_landet heile_landet riket whole_country entire_country tout_le_pays
    todo_el_pais kogu_eesti kogu_riik ca_nuoc ทั่วประเทศ ทั่วราชอาณาจักร caly_kraj cela_cr cela_sr
    כל_הארץ общо_за_страната по_стране вся_краіна συνολο_χωρας συνολο_ελλαδας tutto_il_paese
    koko_suomi hela_sverige hele_danmark hele_norge heel_nederland ganzes_land landið_allt
    egesz_orszag visa_latvija visa_lietuva vsa_slovenija total_tara
    """
)
SUBTOTAL_WORDS = words(
    """
    sub_total sub_totals subtotal subtotals sous_total sous_totaux s_total ss_total soustotal
    total_partiel total_intermediaire zwischensumme zwischensummen zwischentotal teilsumme
    teilsummen teilergebnis subtotale sub_totale totale_parziale totali_parziali somma_parziale
    total_parcial totales_parciales subtotales suma_parcial subtotais soma_parcial
    total_intermedio subtotaal sub_totaal tussentotaal deeltotaal subtotalt delsumma delsum
    delsummer mellomsum mellansumma valisumma vahesumma starpsumma tarpine_suma suma_czesciowa
    suma_posrednia mezisoucet medzisucet reszosszeg medusuma meduzbroj podzbroj medzbir delna_vsota
    vmesna_vsota subtotalul total_partial ara_toplam alt_toplam подытог подитог промежуточныи_итог
    проміжнии_підсумок междинна_сума μερικο_συνολο υποσυνολο סיכום_ביניים סכום_ביניים مجموع_فرعي
    المجموع_الفرعي المجموع_الجزئي รวมย่อย ยอดรวมย่อย tong_phu sub_jumlah subjumlah
    jumlah_sementara 小計 小计 小结 소계 中計
    """
)
TOTAL_WORDS |= SUBTOTAL_WORDS
# What begins the name of a part that is listed below its whole, such as "of which: foreigners".
OF_WHICH = re.compile(
    r"\W*(of which|of whom|thereof|darunter|davon|dont\b|di cui|de los cuales|de las cuales|"
    r"dos quais|w tym|waarvan|heraf|därav|herav|joista|z toho|v tom|v tem|ezen belül|od toga|"
    r"од тога|од кои|от които|от тях|în care|din care|tajā skaitā|tame skaičiuje|в том числе|"
    r"у тому числі|うち|其中|再掲)",
    re.IGNORECASE,
)
_HEADING_ALONE = re.compile(  # of the parts below
    r"\W*(including|incl|of them|among them|whereof|comprising|из них|из него|в т\W? ?ч|з них|"
    r"у тому числі|w tej liczbie|od toga|iš jų|tai skaičiuje|ebből|din care|av dem|herunder|"
    r"ripartit[oi]|terdiri dari|parmi lesquels?|bunun içinde)\W*",
    re.IGNORECASE,
)
_PART_OF_ABOVE = re.compile(  # of the row above, before a name
    r"\W*(incl\.|inkl\.|including|einschl\.|y compris|"
    r"sh\.|s\. ?h\.|sealhulgas|t\. ?sk\.|tai skaičiuje|iš jų|no tiem|ebből|din care|av dem|"
    r"hvoraf|och därav|в т\. ?ч\.|из них|у т\. ?ч\.|з них|od toga|od čega|u tome|parmi lesquels|"
    r"εκ των οποίων|μεταξύ των οποίων|bunun içinde|منهم|منها|מזה|מהם)",
    re.IGNORECASE,
)
_MEAN = (
    r"(averages?|mean|median|durchschnitt(swert)?|mittelwert|moyenne|mediane|promedio|mediana|"
    r"mitjana|gemiddelde?|mediaan|gennemsnit|gjennomsnitt|genomsnitt|medelvarde|keskiarvo|srednia|"
    r"prumer|atlag|ortalama|rata_rata|среднее|медиана|平均|中央値)"
)
_STATISTIC_OF_ROWS = re.compile(
    rf"{_MEAN}(_(per|pro|par|por|of|for|je|de|der|des|value|wert)(_.*)?|_(19|20)[0-9]{{2}})?|"
    rf"[^_]+_{_MEAN}|(maximum|minimum|standard_deviation|previous_(year|census)|year_before|"
    r"change|difference|veranderung|variation|(dagegen_)?vorjahr)(_.*)?|"
    r"(annee|ano|anno)_(precedente|anterior)|for(rige|egaende)_ar|poprzedni_rok|tahun_sebelumnya|"
    r"(total|census|recensement|rgph|rgpha|zensus|volkszahlung|censo|censimento)_(of_)?(19|20)[0-9]{2}"
)
INCLUDES = re.compile(  # a region that includes another one, by its name
    r"(.+?) (?:incl|inkl|including|einschl|einschließlich|y compris|incluyendo|inclusive)\.? (.+)",
    re.IGNORECASE,
)
WIDER = re.compile(  # a region around a town, by its name
    r"(?:Greater|Metropolitan area(?: of)?|Metropolitan|Metro|Grand|Großraum|Stadtregion|Gran|"
    r"Grande|Área metropolitana (?:de|do|da)|Región metropolitana de|Agglomération de) (.+)",
    re.IGNORECASE,
)
CORRECTED = re.compile(  # a name, and that its numbers were corrected or may be
    r"(.+?)[,;]? ?[(\[]?(?:corrected|revised|rectified|provisional|preliminary|final|berichtigt|"
    r"korrigiert|revidiert|vorläufig|endgültig|corrigée?|révisée?|provisoire|définitive?|corregid[oa]|"
    r"revisad[oa]|provisori[oa]|definitiv[oa]|corrett[oa]|provvisori[oa]|herzien|voorlopig|"
    r"korrigeret|foreløbige?|korrigert|korrigerad|preliminär|skorygowan[eay]|wstępn[eay])[)\]]?",
    re.IGNORECASE,
)
CONTINUED = re.compile(  # a name at the top of a further page
    r"(.+?) [(\[]?(?:cont(?:inued|inua(?:ción|ção)?|'?d)?\.?|contin\.|suite|"
    r"forts(?:etzung|ættelse|ätter)?\.?|vervolg|ciąg dalszy|c\. ?d\.|pokračování|"
    r"продолжение|segue|jatkuu)[)\]]?",
    re.IGNORECASE,
)
_ABROAD = (
    r"abroad|overseas|foreign_countries|diaspora|postal_votes?|postal_voting|absentee|briefwahl|"
    r"extranjero|exterior|estrangeiro|utlandet|utland|udlandet|ausland|etranger|estero|buitenland|"
    r"zagranic[aey]|zahranici|kulfold(on)?|за_границеи|ulkomaat|ulkomailla|国外|海外|الخارج"
)
ABROAD = re.compile(rf"(.*_)?({_ABROAD})(_.*)?")  # people who live in none of the areas of a list
NO_PLACE = re.compile(  # or nobody knows where
    rf"(.*_)?({_ABROAD}|unknown|not_stated|not_known|unspecified|undefined|no_fixed_address|"
    r"no_consta|ignorad[oa]s?|desconocid[oa]s?|sin_especificar|nao_especificad[oa]s?|ukjent|ukendt|"
    r"uoppgitt|uoplyst|okan[dt]|unbekannt|ohne_angabe|inconnu[es]*|non_precise[es]*|"
    r"sconosciut[oaie]|onbekend|nieznan[aey]|neznam[eyaoi]|ismeretlen|неизвестно|не_указано|"
    r"tuntematon|teadmata|不詳|不明|未知|غير_محدد|غير_معروف)(_.*)?"
)
_TOTAL_ENDS = "|".join(sorted(TOTAL_WORDS - {"all", "suma", "sum"}, key=len, reverse=True))
_SUBTOTAL = re.compile(
    rf"({'|'.join(sorted(SUBTOTAL_WORDS))})(_.*)?|.*_({'|'.join(sorted(SUBTOTAL_WORDS))})"
    r"|.*(小計|小计|소계)"
)
_TOTAL_OF = (
    "of_the_|for_the_|of_|for_|de_la_|de_l_|del_|de_|der_|des_|della_|dell_|di_|do_|da_|du_|d_|"
    "par_|pour_|por_|para_|per_|fur_|von_|van_|voor_|av_|dla_|za_|по_|для_|за_"
)
_SUM_OF = re.compile(
    rf"(?:(?:{_TOTAL_ENDS})_(?:{_TOTAL_OF})?(.+)|(.+)_(?:{_TOTAL_ENDS})"
    r"|(.+)(?:小計|小计|合計|合计|総計|總計|总计|소계|합계|총계))"
)


def heads_parts(text: str) -> bool:
    """Return whether a text is only a heading of the parts below, such as "of which:".

    >>> heads_parts("в том числе:"), heads_parts("davon"), heads_parts("of which: foreigners")
    (True, True, False)
    >>> heads_parts("davon in den Bezirken:"), heads_parts("Davoniškės")
    (True, False)
    """
    match = OF_WHICH.match(text)
    if match is None:
        return bool(_HEADING_ALONE.fullmatch(text))
    rest = text[match.end() :]
    return not rest.strip(" \t:：.,-–—") or bool(re.fullmatch(r"\W.*[:：]\W*", rest))


def names_part(text: str) -> bool:
    """Return whether a text names a part of another row, such as "of which: town centre".

    >>> names_part("davon Innenstadt"), names_part("うち外国人"), names_part("Davoniškės")
    (True, True, False)
    >>> names_part("sh. linnaline asula Paide"), names_part("Shell Point")
    (True, False)
    >>> names_part("of which:")  # a heading of the parts below
    False
    """
    match = OF_WHICH.match(text) or _PART_OF_ABOVE.match(text)
    if match is None or heads_parts(text) or match.end() == len(text):
        return False
    return not text[match.end()].isalpha() or match[1] in ("うち", "其中", "再掲")


def names_statistic(text: str) -> bool:
    """Return whether a text names an average, an extreme or an earlier number instead of an area.

    >>> [names_statistic(text) for text in ("Average per atoll", "Durchschnitt", "Census 2011")]
    [True, True, True]
    >>> [names_statistic(text) for text in ("Media", "Meanwood", "Censoville")]
    [False, False, False]
    """
    return bool(_STATISTIC_OF_ROWS.fullmatch(plain_name(text)))


def region_of_total(plain: str) -> str:
    """Return the region whose total a text names; empty for other texts.

    Args:
        plain: the text in lower case with underscores, as `plain_name` returns it.

    >>> [region_of_total(text) for text in ("total_north", "jumlah_jawa_barat", "north_total")]
    ['north', 'jawa_barat', 'north']
    >>> region_of_total("northern_total_ford")
    ''
    """
    match = _SUM_OF.fullmatch(plain)
    return next(filter(None, match.groups()), "") if match else ""


def without_total(cell: str) -> str:
    """Return the region if a cell names its total; other cells are returned unchanged.

    >>> [without_total(cell) for cell in ("Total Kano North", "Leeds total", "Leeds", "Total")]
    ['Kano North', 'Leeds', 'Leeds', 'Total']
    """
    region, parts = region_of_total(plain_name(cell)), cell.split()
    for start, stop in combinations(range(len(parts) + 1), 2):
        if region and plain_name(part := " ".join(parts[start:stop])) == region:
            return part
    return cell


def says_subtotal(plain: str) -> bool:
    """Return whether a text has a word for subtotals that is never in the name of a region.

    Args:
        plain: the text in lower case with underscores, as `plain_name` returns it.

    >>> says_subtotal("sous_total_nord"), says_subtotal("total_nord"), says_subtotal("北部小計")
    (True, False, True)
    """
    return bool(_SUBTOTAL.fullmatch(plain))


_SIZE_STEM = (
    r"(hh|hhs|hhsize|hh_size|household|households|size|persons?|people|pers|members?|haushalte?|"
    r"hh_mit|menages?|mén|famiglie|famiglie_con|hogares|domicilios|personen|personne|personnes|persone|"
    r"personas|pessoas|componenti?|componente|habitants?|hushall|hushold|perhe|size_class|世帯|人|人世帯|"
    r"人員|person_household|person_households|people_household|people_households|of|in|with|and|de|mit|a|con|number"
    r"|pers(on|oon)(en|er|s|ers)?_?(privat)?(haushalte?n?|hushall(et)?|husholdninge?r?|husstande?|"
    r"huishoudens?)|(privat)?haushalte?n?|privathushall|husstande?|huishoudens?"
    r"|com|or|morador|moradores|世帯人員が|osob|osoby|osoba|henkilo|henkiloa|personer|lidi|"
    r"persoon|persones|lid|clan|clana|clani|clanov|clanova|osobe|asmuo|asmenys|asmenu|persoane|"
    r"kisi|ατομο|ατομα|человек|человека|чел|osobami|clen|clenove|clenu|clenov|szemelyes|szemely|"
    r"cilveki|inimest|zmones|sob|lica|نفره|نفر|فرد|أفراد|افراد|شخص|أشخاص|인가구|인_가구|인|명)"
)
# Words for households, in names without accents.
HOUSEHOLD = (
    "hh|household|haushalt|menage|famigli|hogar|domicili|hushall|hushold|huishoud|husstand|世帯|"
    "asuntokun|kotitalo|gospodarst|gospodinjst|domacnost|domacinst|kucanst|haztart|leibkon|"
    "majsaimniec|gospodari|hanehalk|rumah_tangga|νοικοκυρ|домохозяйств|домогосподарст|домакинст|"
    "خانوار|الأسرة|أسر|اسر|משק_בית|משקי_בית|가구|家庭户|家庭戶"
)
_HOUSEHOLD = re.compile(f"size|{HOUSEHOLD}")
_MORE = (
    r"(\+|plus|(and_|or_)?(above|up|higher|upwards?|greater|larger|bigger)|or_?more|more|and_?over|"
    r"and_?more|und_mehr|oder_mehr|mehr|et_plus|ou_plus|e_piu|o_piu|"
    r"piu|y_mas|o_mas|mas|ou_mais|e_mais|mais|of_meer|en_meer|meer|eller_flere|och_fler|i_wiecej|"
    r"(og|och|eller)_(flere|fler|over|derover|daruber)|in_vec|i_vise|ili_vise|a_vice|a_viac|"
    r"und_daruber|es_tobb|vagy_tobb|tai_enemman|ja_enam|un_vairak|ir_daugiau|sau_mai_mult[ei]?|"
    r"si_peste|ve_uzeri|veya_daha_fazla|i_bolee|и_более|и_больше|και_ανω|o_superior|or_over|"
    r"i_mes|o_mes|و_بیشتر|و_بيشتر|فأكثر|فاكثر|وأكثر|أو_أكثر|이상|及以上|或以上|"
    r"以上|인_이상)"
)
_SIZE_NAME = re.compile(
    rf"(?P<stem>(?:{_SIZE_STEM}_?)*)_?(?P<size>[0-9]{{1,2}})_?(?P<more1>{_MORE})?_?"
    rf"(?P<unit>(?:{_SIZE_STEM}_?)*)_?(?P<more2>{_MORE})?_?(?P<rest>(?:{_SIZE_STEM}_?)*)"
)


_MEMBER = re.compile(r"^.*: \[[0-9]+\]: (?=.)")


_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670]")
# Vowel signs of Indic and South-East Asian scripts are not letters for `re`, but parts of words.
_BETWEEN = re.compile(
    r"(?:(?![\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u1000-\u109f\u1780-\u17d3])[\W_])+"
)
_BETWEEN_ASCII = re.compile("[^a-z0-9]+")
_CAPITAL_INSIDE = re.compile("(?<=[a-z])(?=[A-Z])")


def plain_name(name: str) -> str:
    """Return a name in lower case without accents, its words joined by underscores.

    Only the member of a dimension is kept, as in "Dim: Sex (3): Member ID: [1]: Total".

    >>> plain_name("Población Total"), plain_name("TractCode"), plain_name("人口 総数")
    ('poblacion_total', 'tract_code', '人口_総数')
    >>> plain_name("कुल जनसंख्या")
    'कुल_जनसंख्या'
    """
    if name.isascii():
        member = _MEMBER.sub("", name) if ": [" in name else name
        split = _CAPITAL_INSIDE.sub("_", member).lower()
        return _BETWEEN_ASCII.sub("_", split).strip("_")
    member = _MEMBER.sub("", unicodedata.normalize("NFKC", name))
    split = _CAPITAL_INSIDE.sub("_", member)
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", split))
    composed = unicodedata.normalize("NFC", bare).lower().replace("ß", "ss").replace("ł", "l")
    return _BETWEEN.sub("_", composed).strip("_")


def is_known_name(plain: str) -> bool:
    """Return whether a name, as `plain_name` returns it, has words that identify its column.

    >>> is_known_name("region_code"), is_known_name("hh7")
    (True, False)
    """
    whole = (PERSON, WEIGHT, GROUP_ID, CATEGORY, YEAR, MEASURE, ABOUT_THE_ROW)
    return (
        plain in COUNT | SIZE
        or bool(PLACE.search(plain))
        or any(pattern.fullmatch(plain) for pattern in whole)
    )


def size_in(name: str) -> tuple[int, bool, bool] | None:
    """Return the size in a column name or cell, whether it includes larger sizes ("4 or more"), and
    whether a word identifies it as a size; None for other texts.

    >>> size_in("hh_4_plus"), size_in("7+"), size_in("2 Personen"), size_in("6 et plus")
    ((4, True, True), (7, True, False), (2, False, True), (6, True, False))
    >>> size_in("Tres personas"), size_in("Einpersonenhaushalte"), size_in("vier und mehr")
    ((3, False, True), (1, False, True), (4, True, False))
    >>> size_in("age_4"), size_in("pop_2011"), size_in("q3")
    (None, None, None)
    """
    marked = re.sub(r"\s*\+", " plus", in_digits(name).replace("≥", "plus "))
    bare = re.sub(r"^\s*>=?\s*|^plus ", "", marked)
    marked = f"{bare} plus" if re.match(r"\s*>=|^plus", marked) else bare
    match = _SIZE_NAME.fullmatch(plain_name(marked))
    if match is None:
        return None
    # Any word after the number identifies a size; one before it must mean households or sizes.
    after = bool(match["unit"].strip("_") or match["rest"].strip("_"))
    worded = after or bool(_HOUSEHOLD.search(match["stem"]))
    return int(match["size"]), bool(match["more1"] or match["more2"]), worded


def open_class_in(text: str) -> int | None:
    """Return the number in a text that includes all larger ones; None for other texts.

    >>> [open_class_in(text) for text in ("67 år og over", "18+", "80 ans et plus", "18 years")]
    [67, 18, 80, None]
    """
    numbers = re.findall("[0-9]+", text)
    plus = re.fullmatch(r"\D*[0-9]+\s*\+\D*", text)
    more = re.search(rf"(^|_|[0-9])({_MORE})(_|$)", plain_name(text))
    return int(numbers[0]) if len(numbers) == 1 and (plus or more) else None


def sizes_in(cells: Sequence[str]) -> list[tuple[int, bool, bool] | None]:
    """Return the size in each cell of a column, as `size_in` does.

    "6P" beside the numbers 1 to 5 includes larger sizes, as offices abbreviate "6 and more" in
    Romance and Slavic languages. Beside "1P" it would be six persons.

    >>> sizes_in(["1", "2", "3P"]), sizes_in(["1P", "2P"])
    ([(1, False, False), (2, False, False), (3, True, False)], [None, None])
    """
    sizes = [size_in(cell) for cell in cells]
    lettered = [k for k, cell in enumerate(cells) if re.fullmatch(r"[0-9]{1,2}\s?[Pp]", cell)]
    numbers = [int(cell) for cell in cells if re.fullmatch("[0-9]{1,2}", cell)]
    if len(lettered) == 1 and len(numbers) > 1:
        last = int(re.sub("[^0-9]", "", cells[lettered[0]]))
        if last == max(numbers) + 1:
            sizes[lettered[0]] = (last, True, False)
    return sizes


def size_stem(name: str) -> str:
    """Return a name without its size: columns of one series then have the same text."""
    words = re.sub(_MORE, "", plain_name(re.sub(r"\+", "", in_digits(name))))
    bare = re.sub("[0-9]+", "", words)
    return re.sub(r"_+|s$", "", bare).replace("people", "person").replace("persons", "person")
