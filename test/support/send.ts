import { request as httpRequest, type IncomingMessage } from 'node:http'

/** A test's request. `path` is sent unchanged. */
export interface Sent {
  readonly method?: string
  readonly path: string
  /** A list is sent as several headers. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
}

/** The response. */
export interface Reply {
  /** The request that it answers. */
  readonly sent: Sent
  readonly status: number
  /** Returns the header's values, joined; `undefined` when the header is absent. */
  header(name: string): string | undefined
  readonly cookies: readonly string[]
  readonly text: string
  /** The body as a JSON object. */
  readonly json: Readonly<Record<string, unknown>>
  /** The Location header as a URL. */
  readonly location: URL
}

/** Sends one request to 127.0.0.1 and reads the complete answer without following redirects. */
export function send(port: number, sent: Sent): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const body = sent.body ?? ''
    const outgoing = httpRequest(
      {
        host: '127.0.0.1',
        port,
        // A kept connection may belong to an earlier server on the same port, or the server may close it at this moment.
        agent: false,
        method: sent.method ?? 'GET',
        path: sent.path,
        headers: { ...sent.headers, 'content-length': String(Buffer.byteLength(body)) },
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('end', () => resolve(replyOf(sent, incoming, Buffer.concat(chunks).toString('utf8'))))
        incoming.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

function replyOf(sent: Sent, incoming: IncomingMessage, text: string): Reply {
  return {
    sent,
    status: incoming.statusCode ?? 0,
    header: (name) => {
      const value = incoming.headers[name.toLowerCase()]
      return Array.isArray(value) ? value.join(', ') : value
    },
    cookies: incoming.headers['set-cookie'] ?? [],
    text,
    get json() {
      return JSON.parse(text) as Record<string, unknown>
    },
    get location() {
      return new URL(incoming.headers.location ?? 'missing:')
    },
  }
}
