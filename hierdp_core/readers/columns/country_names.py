"""Names of countries, which identify a row for the whole country beside rows for its parts."""

from hierdp_core.readers.columns.vocabulary import plain_name

_NAMES = (
    "Afghanistan", "Albania", "Algeria", "Angola", "Argentina", "Armenia", "Australia",
    "Austria", "Azerbaijan", "Bangladesh", "Belarus", "Belgium", "Benin", "Bhutan", "Bolivia",
    "Bosnia and Herzegovina", "Botswana", "Brazil", "Bulgaria", "Burkina Faso", "Burundi",
    "Cambodia", "Cameroon", "Canada", "Chad", "Chile", "China", "Colombia", "Costa Rica",
    "Croatia", "Cuba", "Cyprus", "Czechia", "Czech Republic", "Denmark", "Dominican Republic",
    "Ecuador", "Egypt", "El Salvador", "England", "England and Wales", "Eritrea", "Estonia",
    "Eswatini", "Ethiopia", "Fiji", "Finland", "France", "Gabon", "Gambia", "Germany", "Ghana",
    "Great Britain", "Greece", "Guinea", "Guyana", "Haiti", "Honduras", "Hungary", "Iceland",
    "India", "Indonesia", "Iran", "Iraq", "Ireland", "Israel", "Italy", "Jamaica", "Japan",
    "Jordan", "Kazakhstan", "Kenya", "Kosovo", "Kyrgyzstan", "Laos", "Latvia", "Lebanon",
    "Lesotho", "Liberia", "Libya", "Lithuania", "Madagascar", "Malawi", "Malaysia", "Mali",
    "Malta", "Mauritania", "Mauritius", "Moldova", "Mongolia", "Montenegro", "Morocco",
    "Mozambique", "Myanmar", "Namibia", "Nepal", "Netherlands", "The Netherlands",
    "New Zealand", "Nicaragua", "Niger", "Nigeria", "North Macedonia", "Northern Ireland",
    "Norway", "Oman", "Pakistan", "Panama", "Papua New Guinea", "Paraguay", "Peru",
    "Philippines", "Poland", "Portugal", "Republic of Korea", "Romania", "Russia",
    "Russian Federation", "Rwanda", "Saudi Arabia", "Scotland", "Senegal", "Serbia",
    "Sierra Leone", "Slovakia", "Slovenia", "Somalia", "South Africa", "South Korea",
    "South Sudan", "Spain", "Sri Lanka", "Sudan", "Suriname", "Sweden", "Switzerland", "Syria",
    "Taiwan", "Tajikistan", "Tanzania", "Thailand", "Timor-Leste", "Togo", "Tunisia", "Turkey",
    "Türkiye", "Uganda", "Ukraine", "United Kingdom", "United States",
    "United States of America", "Uruguay", "Uzbekistan", "Venezuela", "Vietnam", "Viet Nam",
    "Wales", "Yemen", "Zambia", "Zimbabwe", "Allemagne", "Argentine", "Autriche", "Belgique",
    "België", "Belgien", "Brasil", "Bundesgebiet", "Česko", "Česká republika", "Danmark",
    "Deutschland", "Eesti", "España", "Espanha", "Finnland", "France métropolitaine",
    "Frankreich", "Hrvatska", "Ísland", "Italia", "Italien", "Italie", "Latvija", "Lietuva",
    "Magyarország", "Maroc", "México", "Mexico", "Nederland", "Niederlande", "Norge",
    "Österreich", "Perú", "Polska", "Polen", "Pilipinas", "România", "Schweiz", "Suisse",
    "Svizzera", "Slovenija", "Slovensko", "Slovenská republika", "Srbija", "Suomi", "Sverige",
    "Tunisie", "Россия", "Российская Федерация", "Україна", "България", "Србија", "Ελλάδα",
    "日本", "全国", "中国", "全國", "대한민국", "전국", "ประเทศไทย", "Việt Nam",
)  # fmt: skip
_COUNTRIES = frozenset(plain_name(name) for name in _NAMES)


def is_country(name: str) -> bool:
    """Return whether a name is that of a country.

    >>> is_country("CANADA"), is_country("Česká republika"), is_country("Nova Scotia")
    (True, True, False)
    """
    return plain_name(name) in _COUNTRIES
