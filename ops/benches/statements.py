"""What the product sends for one request, as scripts of pgbench: the statements are read out of the
sources, so that the ceiling is of the same work."""

import pathlib
import re
import textwrap

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "Sources"

ROLE = "select set_config('role', 'sineta_api', true)"
DATA = """{"id":"bench","type":"orders.paid","data":{"number":"1042","total":{"amount":"1234.56",\
"currency":"BRL"},"customer_name":"Ana Souza"}}"""


def statement(file, marker, *values):
    """The first SQL behind the marker, with values in the places of its parameters."""
    text = (SOURCES / file).read_text()
    found = re.compile(r'"""\n(.*?)\n *"""', re.S).search(text, text.index(marker))
    return re.sub(r"\$(\d+)", lambda place: values[int(place[1]) - 1],
                  textwrap.dedent(found[1]))


def script(*trips):
    """Each trip is a list of statements that go out together."""
    lines = []
    for trip in trips:
        lines += ["\\startpipeline", *(f"{each};" for each in trip), "\\endpipeline"]
    return "\n".join(lines) + "\n"


def enter(access):
    return statement("Storage/Entry/Entry.swift", "static func enter(", f"'\\x{access}'::bytea",
                     "false")


def me(access):
    return script([ROLE, enter(access)])


def devices(access):
    listing = statement("Storage/Devices/Devices.swift", "static func list(", "null", "null", "51")
    return script([ROLE, enter(access), listing])


def events(shops, rows):
    """One transaction with so many events of one store, of which each client takes another.

    - shops: pairs of a store and its token's hash, at least one per client.
    """
    def each(expression, kind):
        return f"(array(select {expression} from generate_series(1, {rows}) g)::{kind}[])"

    def pick(values):
        listed = ", ".join(f"'{value}'" for value in values)
        return f"(array[{listed}])[:client_id + 1]"

    store = each(f"{pick(shop for shop, _ in shops)}", "uuid")
    key = each("'bench-' || :n || '-' || :client_id || '-' || g", "text")
    ident = each("md5(:n || '-' || :client_id || '-' || g)", "uuid")
    fixed = {name: each(expression, kind) for name, expression, kind in (
        ("now", "now()", "timestamptz"), ("type", "'orders.paid'", "text"),
        ("none", "null", "text"), ("nobody", "null", "uuid"), ("status", "'paid'", "text"),
        ("number", "'1042'", "text"), ("amount", "'1234.56'", "text"),
        ("currency", "'BRL'", "text"), ("yes", "true", "boolean"), ("no", "false", "boolean"),
        ("name", "'Ana Souza'", "text"), ("lane", "2", "integer"),
        ("kind", "'alerts.decide'", "text"), ("data", f"'{DATA}'", "jsonb"),
        ("job", "gen_random_uuid()", "uuid"))}
    at = fixed.get
    token = f"array[{pick(token for _, token in shops)}::bytea]"
    entering = f"select token_hash, store_id from sineta.enter_batch({token})"
    insert = statement("Storage/Ingest/Ingest.swift", "static let insertSQL", store, key, ident,
                       at("type"), at("now"), at("now"), at("none"))
    order = statement("Storage/Ingest/Ingest+Orders.swift", "static let sql", store, key, ident,
                      at("now"), at("status"), at("number"), at("amount"), at("currency"),
                      at("yes"), at("name"), at("no"), at("none"), at("no"), at("none"))
    jobs = statement("Jobs/JobQueue+Enqueue.swift", "static let enqueueSQL", at("job"), at("lane"),
                     at("kind"), store, ident, at("nobody"), at("nobody"), at("now"), at("now"),
                     at("data"))
    return "\\set n random(1, 1000000000000)\n" + script(
        ["begin", ROLE, entering, insert], [order], [jobs, "commit"])
