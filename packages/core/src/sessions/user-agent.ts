/**
 * Summarizes a `User-Agent` header for the list of sessions, such as `Firefox on Windows`. Only the summary is stored:
 * the whole header could identify a user, and would not help the user to recognize a device.
 * @returns `undefined` when neither the browser nor the system is known.
 */
export function summarizeUserAgent(header: string | undefined): string | undefined {
  const text = (header ?? '').slice(0, 512)
  const [browser, system] = [browsers, systems].map((known) => known.find(([token]) => text.includes(token))?.[1])
  if (browser === undefined || system === undefined) return browser ?? system
  return `${browser} on ${system}`
}

/** The order matters, because a browser's header can contain the names of other browsers (RFC 9110 §10.1.5). */
const browsers: readonly (readonly [token: string, name: string])[] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
]

const systems: readonly (readonly [token: string, name: string])[] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Macintosh', 'macOS'],
  ['Linux', 'Linux'],
]
