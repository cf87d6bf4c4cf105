"""The week of a league as a short text for a chat channel: on the terminal, or posted to a webhook."""

import click
import httpx
from shutbox_client import Client, PeriodRow, Player, ShutboxError

SHOWN = 10


def label(player: Player) -> str:
    """Return who it is: not everyone has a name."""
    return player.name if player.name is not None else f"player {player.player_id[-4:]}"


def line(row: PeriodRow) -> str:
    """Return a row; equal results share a rank."""
    return f"{row.rank}. {label(row.player)}: {row.score} in {row.days} {'day' if row.days == 1 else 'days'}"


def table(client: Client, code: str, of: str | None = None) -> str:
    """Return the head of a league's week and its best rows."""
    league = client.league(code)
    week = client.period("week", league=code, of=of, limit=SHOWN)
    counted = f"up to {week.until}" if week.until else "before the first close"
    more = [f"and {week.total - len(week.items)} more"] if week.total > len(week.items) else []
    rows = [line(row) for row in week.items] or ["Nobody has a result yet."]
    return "\n".join([f"{league.name}, week {week.period}, {counted}", *rows, *more])


@click.command()
@click.option("--server", default="http://127.0.0.1:8000", show_default=True)
@click.option("--token", envvar="SHUTBOX_CLIENT_TOKEN", required=True, help="Of a member; scope read is enough.")
@click.option("--of", help="A past week: 2026-W48, or a date in it.")
@click.option("--webhook", metavar="URL", help='Post {"text": ...} there instead.')
@click.argument("code")
def main(server: str, token: str, of: str | None, webhook: str | None, code: str) -> None:
    """Print the week of the league with this invite CODE."""
    try:
        with Client(server, token) as client:
            text = table(client, code, of)
        if webhook is None:
            click.echo(text)
        else:
            httpx.post(webhook, json={"text": text}, timeout=10).raise_for_status()
    except (ShutboxError, httpx.HTTPError) as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main()
