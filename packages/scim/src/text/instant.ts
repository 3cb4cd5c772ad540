/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMilliseconds = number

/**
 * Reads a dateTime (RFC 7643 §2.3.5, xsd:dateTime): date, time and zone designator; digits of the second beyond the third
 * are dropped.
 * @returns undefined for anything else.
 */
export function parseInstant(text: string): EpochMilliseconds | undefined {
  if (text.length > 40) return undefined
  const match = dateTime.exec(text)
  if (match === null) return undefined
  const [, date, time, fraction = '', zone] = match
  const instant = Date.parse(`${date}T${time}.${fraction.slice(1, 4).padEnd(3, '0')}${zone}`)
  return Number.isNaN(instant) || !isDayOfMonth(date ?? '') ? undefined : instant
}

/** `Date.parse` takes 31 February for 3 March. */
function isDayOfMonth(date: string): boolean {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

const dateTime = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/
