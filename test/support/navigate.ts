import { request as requestPlainly } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { buffer } from 'node:stream/consumers'

/**
 * Sends a request as a browser window does, without `Sec-Fetch-Mode`; `fetch` would send the value of a script. Does not
 * follow redirects.
 */
export function navigate(url: URL, { method = 'GET', headers, body }: RequestInit = {}): Promise<Response> {
  const headerFields = Object.fromEntries(new Headers(headers))
  const type = body instanceof URLSearchParams ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
  const request = url.protocol === 'https:' ? requestSecurely : requestPlainly

  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...type, ...headerFields } }, (reply) => {
      const received = new Headers()
      for (const [name, values = []] of Object.entries(reply.headersDistinct))
        for (const value of values) received.append(name, value)
      const status = reply.statusCode ?? 0
      buffer(reply)
        .then((content) => {
          const isEmpty = status === 204 || status === 304
          return new Response(isEmpty ? null : new Uint8Array(content), { status, headers: received })
        })
        .then(resolve, reject)
    })
    sent.on('error', reject)
    sent.end(body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : undefined)
  })
}
