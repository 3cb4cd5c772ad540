import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import type { ServerRequest } from '@mintmark/core/http'

/** Why there is no request to answer: its body is larger than allowed, or the client left in the middle of it. */
export type Unreadable = 'too_large' | 'aborted'

/**
 * Reads a request into a plain value. The bodies of GET and HEAD mean nothing (RFC 9110 §9.3.1) and are not read.
 * @param bodyLimit in bytes; what exceeds it is discarded as it arrives.
 * @throws Error that says what to change, when something else read the body first.
 */
export async function readRequest(
  message: IncomingMessage,
  url: URL,
  bodyLimit: number,
): Promise<ServerRequest | Unreadable> {
  const method = message.method ?? ''
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? await readBody(message, bodyLimit) : noBody
  return typeof body === 'string' ? body : { method, url, ...readHeaders(message.rawHeaders), body }
}

function readBody(message: IncomingMessage, limit: number): Promise<Uint8Array | Unreadable> {
  if (wasTouched(message)) {
    throw new Error(
      'Mintmark needs the raw request body, and a body parser came first. Put Mintmark, and the pages of the host that ' +
        'it serves, in front of express.json(), express.urlencoded() and the like.',
    )
  }
  return new Promise((resolve) => {
    let chunks: Buffer[] = []
    let size = 0
    message.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) {
        chunks.push(chunk)
        return
      }
      chunks = []
      resolve('too_large')
    })
    finished(message, (error) => resolve(error ? 'aborted' : Buffer.concat(chunks)))
  })
}

/**
 * Whether the bytes are gone, or decoded, or a parser of Express has looked at the request and skipped it, which leaves
 * `body` undefined. A parser skips by Content-Type: without the last test it would be up to the client when a wrong
 * order of middleware shows, and now it shows at the first POST.
 */
const wasTouched = (message: IncomingMessage): boolean =>
  message.readableDidRead || message.readableEncoding !== null || ('body' in message && message.body === undefined)

/** From the raw list: Node's own collections drop repeated headers, and older ones throw on a header named `__proto__`. */
function readHeaders(raw: readonly string[]): Pick<ServerRequest, 'headers' | 'repeatedHeaders'> {
  const headers = new Map<string, string>()
  const repeatedHeaders = new Set<string>()
  for (let at = 0; at < raw.length; at += 2) {
    const key = raw[at]?.toLowerCase() ?? ''
    const value = raw[at + 1] ?? ''
    const before = headers.get(key)
    if (before !== undefined) repeatedHeaders.add(key)
    // RFC 9110 §5.3; cookies are the exception: a comma may be part of one (RFC 9113 §8.2.3).
    headers.set(key, before === undefined ? value : before + (key === 'cookie' ? '; ' : ', ') + value)
  }
  return { headers, repeatedHeaders }
}

const noBody = new Uint8Array()
