import { connect, type Socket } from 'node:net'

/** The part of a response that workloads use. */
export interface Reply {
  readonly status: number
  /** The status line and headers, unparsed. */
  readonly head: string
  readonly body: string
}

/** A persistent connection with one outstanding request at a time. */
export interface Lane {
  exchange(request: string): Promise<Reply>
  close(): void
}

/**
 * Opens a connection that costs the driver little: it parses a response only to find its end, by `Content-Length` or by
 * chunks (RFC 9112 §6).
 */
export async function openLane(port: number): Promise<Lane> {
  const socket = await connected(port)
  let received = ''
  let waiting: { readonly resolve: (reply: Reply) => void; readonly reject: (error: Error) => void } | undefined

  const settle = (reply: Reply): void => {
    received = ''
    const { resolve } = waiting ?? {}
    waiting = undefined
    resolve?.(reply)
  }
  socket.on('data', (text: string) => {
    received += text
    const reply = wholeReply(received)
    if (reply !== undefined) settle(reply)
  })
  socket.on('close', () => waiting?.reject(new Error('The server closed the connection.')))
  socket.on('error', (error) => waiting?.reject(error))

  return {
    exchange: (request) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error('The server has closed the connection.'))
        waiting = { resolve, reject }
        socket.write(request)
      }),
    close: () => void socket.destroy(),
  }
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.setEncoding('latin1')
    socket.once('connect', () => resolve(socket))
    socket.once('error', reject)
  })
}

function wholeReply(text: string): Reply | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end)
  const rest = text.slice(end + 4)
  const body = wholeBody(head, rest)
  return body === undefined ? undefined : { status: Number(head.slice(9, 12)), head, body }
}

function wholeBody(head: string, rest: string): string | undefined {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return rest.length >= Number(length) ? rest : undefined
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return rest
  return rest.endsWith('0\r\n\r\n') ? joinChunks(rest) : undefined
}

function joinChunks(rest: string): string {
  let joined = ''
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf('\r\n', at)
    const size = Number.parseInt(rest.slice(at, lineEnd), 16)
    if (!(size > 0)) return joined
    joined += rest.slice(lineEnd + 2, lineEnd + 2 + size)
    at = lineEnd + 4 + size
  }
}
