import type { OauthSite, ScimSite } from '../site.ts'

/** Returns the text of a GET request. */
export const get = (path: string, headers: Readonly<Record<string, string>> = {}): string =>
  `GET ${path} HTTP/1.1\r\n${headerLines(headers)}\r\n`

/** Returns the text of a form request of the site's client, authenticated with its secret (RFC 6749 §2.3.1). */
export function postForm(path: string, form: Readonly<Record<string, string>>, site: OauthSite): string {
  const body = new URLSearchParams(form).toString()
  const headers = {
    authorization: `Basic ${btoa(`${encodeURIComponent(site.clientId)}:${encodeURIComponent(site.clientSecret)}`)}`,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(body)),
  }
  return `POST ${path} HTTP/1.1\r\n${headerLines(headers)}\r\n${body}`
}

/** Returns the request with a DPoP proof for a URL with `https`, which some servers read from the proxy's header. */
export const withProof = (request: string, proof: string): string =>
  request.replace('\r\n\r\n', `\r\ndpop: ${proof}\r\nx-forwarded-proto: https\r\n\r\n`)

/**
 * Returns the text of a request to the SCIM server, with a JSON body if there is one.
 * @param path the path below the site's base path.
 */
export function scimRequest(
  method: string,
  path: string,
  { site, body }: { readonly site: ScimSite; readonly body?: object },
): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const content = { 'content-type': 'application/scim+json', 'content-length': String(Buffer.byteLength(text)) }
  const headers = { authorization: `Bearer ${site.secret}`, ...(body !== undefined && content) }
  return `${method} ${site.basePath}${path} HTTP/1.1\r\n${headerLines(headers)}\r\n${text}`
}

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries({ host: 'as.test', accept: '*/*', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
