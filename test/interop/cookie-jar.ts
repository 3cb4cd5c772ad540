/** The cookies of one browser by host. All ports of a host share them, as in every browser (RFC 6265 §8.5). */
export interface CookieJar {
  /** Stores the cookies of a response, and removes cookies that the response expires. */
  store(url: URL, setCookies: readonly string[]): void
  /** Returns the Cookie header of a request to the URL. */
  header(url: URL): string
}

interface Cookie {
  readonly name: string
  readonly value: string
  readonly host: string
  readonly path: string
}

/** Creates an empty jar. It ignores SameSite, which the tests in Chromium cover. */
export function createCookieJar(): CookieJar {
  let cookies: readonly Cookie[] = []

  return {
    store(url, setCookies) {
      for (const text of setCookies) {
        const { cookie, isExpired } = parseSetCookie(url, text)
        const others = cookies.filter((stored) => !isSame(stored, cookie))
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

const isSame = (left: Cookie, right: Cookie): boolean =>
  left.name === right.name && left.host === right.host && left.path === right.path
