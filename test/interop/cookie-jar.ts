/** The cookies of one browser by host; ports share them, as in every browser (RFC 6265 §8.5). */
export interface CookieJar {
  /** Stores the cookies of an answer and removes expired ones. */
  store(url: URL, setCookies: readonly string[]): void
  /** The Cookie header of a request to the address. */
  header(url: URL): string
}

interface Cookie {
  readonly name: string
  readonly value: string
  readonly host: string
  readonly path: string
}

/** An empty jar. It does not know sites; Chromium tests cover SameSite. */
export function createCookieJar(): CookieJar {
  let cookies: readonly Cookie[] = []

  return {
    store(url, setCookies) {
      for (const text of setCookies) {
        const { cookie, isExpired } = parseSetCookie(url, text)
        const others = cookies.filter((one) => !isSame(one, cookie))
        cookies = isExpired ? others : [...others, cookie]
      }
    },

    header: (url) =>
      cookies
        .filter(({ host, path }) => host === url.hostname && `${url.pathname}/`.startsWith(path.replace(/\/?$/, '/')))
        .map(({ name, value }) => `${name}=${value}`)
        .join('; '),
  }
}

function parseSetCookie(url: URL, text: string): { readonly cookie: Cookie; readonly isExpired: boolean } {
  const [pair = '', ...rest] = text.split(/; */)
  const attributes = new Map(
    rest.map((part) => [part.split('=', 1)[0]?.toLowerCase(), part.slice(part.indexOf('=') + 1)]),
  )
  const maxAge = attributes.get('max-age')
  const expires = attributes.get('expires')
  return {
    cookie: {
      name: pair.split('=', 1)[0] ?? '',
      value: pair.slice(pair.indexOf('=') + 1),
      host: url.hostname,
      path: attributes.get('path') ?? '/',
    },
    isExpired: maxAge === undefined ? Date.parse(expires ?? '') <= Date.now() : Number(maxAge) <= 0,
  }
}

const isSame = (one: Cookie, other: Cookie): boolean =>
  one.name === other.name && one.host === other.host && one.path === other.path
