import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'

/** Why there is no body: it is larger than allowed, or the client left in the middle of it. */
type Unreadable = 'too_large' | 'aborted'

/** The bodies of GET and HEAD mean nothing (RFC 9110 §9.3.1) and are not read. */
export const hasBody = ({ method }: IncomingMessage): boolean => method !== 'GET' && method !== 'HEAD'

/** What a request has instead of a body. */
export const noBody = new Uint8Array()

/**
 * Reads the bytes of a body.
 * @param limit in bytes; what exceeds it is discarded as it arrives.
 * @throws Error that says what to change, when something else read the body first.
 */
export function readBody(message: IncomingMessage, limit: number): Promise<Uint8Array | Unreadable> {
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
