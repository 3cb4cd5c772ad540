import type { ServerRequest } from '@mintmark/core/http'

/** Why there is no request to answer: its body is larger than allowed, or the client left in the middle of it. */
export type Unreadable = 'too_large' | 'aborted'

/**
 * Reads a request into a plain value. The bodies of GET and HEAD mean nothing (RFC 9110 §9.3.1) and are not read.
 * @param bodyLimit in bytes; reading stops at what exceeds it.
 * @throws Error that says what to change, when something else read the body first.
 */
export async function readRequest(request: Request, url: URL, bodyLimit: number): Promise<ServerRequest | Unreadable> {
  const { method } = request
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? await readBody(request, bodyLimit) : new Uint8Array()
  return typeof body === 'string' ? body : { method, url, ...readHeaders(request.headers), body }
}

async function readBody(request: Request, limit: number): Promise<Uint8Array | Unreadable> {
  if (request.bodyUsed || request.body?.locked === true) {
    throw new Error(
      'Mintmark needs the raw request body, and something read it first. Hand the request over before request.json(), ' +
        'request.formData(), body parsers and the like, or hand over request.clone().',
    )
  }
  const reader = request.body?.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      chunks.push(part.value)
      size += part.value.length
      // What is left stays unread and is not cancelled: to cancel closes the connection on some runtimes, before the answer.
      if (size > limit) return 'too_large'
    }
  } catch {
    // The stream breaks when the client leaves in the middle, and there is nobody left to tell.
    return 'aborted'
  }
  return joined(chunks, size)
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const body = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}

/**
 * Fetch has joined repeated headers by the time that anybody can look (Fetch §2.2.2). That a header with one value came
 * twice shows by the comma, which none of these values may have. Of the headers that may be lists it cannot be known.
 */
function readHeaders(received: Headers): Pick<ServerRequest, 'headers' | 'repeatedHeaders'> {
  const headers = new Map(received)
  return { headers, repeatedHeaders: new Set(singleValued.filter((name) => headers.get(name)?.includes(','))) }
}

/** Headers that decide something here, and whose values have no comma (RFC 9110 §5.5, §11.4; RFC 9449 §4.1; RFC 6454 §7). */
const singleValued = ['authorization', 'content-type', 'content-length', 'dpop', 'host', 'origin', 'sec-fetch-site']
