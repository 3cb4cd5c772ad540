import type { Site } from '../site.ts'

/** The text of a GET. */
export const get = (path: string, headers: Readonly<Record<string, string>> = {}): string =>
  `GET ${path} HTTP/1.1\r\n${headerLines(headers)}\r\n`

/** The text of a form that the site's client posts, authenticated with its secret (RFC 6749 §2.3.1). */
export function postForm(path: string, form: Readonly<Record<string, string>>, site: Site): string {
  const body = new URLSearchParams(form).toString()
  const headers = {
    authorization: `Basic ${btoa(`${encodeURIComponent(site.clientId)}:${encodeURIComponent(site.clientSecret)}`)}`,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(body)),
  }
  return `POST ${path} HTTP/1.1\r\n${headerLines(headers)}\r\n${body}`
}

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries({ host: 'as.test', accept: '*/*', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
