"""Days as yyyymmdd, and their distance in days; arithmetic only, so that nothing here can ask for today."""

from .faults import Fault, Refused

DAY_MS = 86_400_000
_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365)
_DAYS_BEFORE_1970 = 719_162


def day_number(day: int) -> int:
    """Return the number of a day, 19700101 being day 0. Refuses what is no day from 1970 to 9999."""
    year, month, day_of_month = day // 10_000, day // 100 % 100, day % 100
    if not (1970 <= year <= 9999 and 1 <= month <= 12):
        raise Refused(Fault.BAD_DAY, str(day))
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    length = _BEFORE_MONTH[month] - _BEFORE_MONTH[month - 1] + (leap and month == 2)
    if not 1 <= day_of_month <= length:
        raise Refused(Fault.BAD_DAY, str(day))
    years = year - 1
    days = 365 * years + years // 4 - years // 100 + years // 400 + _BEFORE_MONTH[month - 1] + (leap and month > 2)
    return days + day_of_month - 1 - _DAYS_BEFORE_1970


def midnight(day: int) -> int:
    """Return 00:00 UTC of a day in unix ms."""
    return day_number(day) * DAY_MS


def iso(day: int) -> str:
    """Return a day as round ids write it: 2026-11-30."""
    return f"{day // 10_000:04}-{day // 100 % 100:02}-{day % 100:02}"
