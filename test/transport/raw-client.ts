import { connect } from 'node:net'

/** Sends bytes unchanged and returns everything received until the server closes the connection. */
export function sendBytes(port: number, bytes: string, then: 'wait' | 'close' = 'wait'): Promise<string> {
  return new Promise((resolve) => {
    const received: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(Buffer.from(bytes, 'latin1'))
      if (then === 'close') socket.end()
    })
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('end', () => socket.end())
    // A reset also ends the exchange. The response is then what arrived before the reset.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(received).toString('latin1')))
  })
}

/** Sends a prefix, then more and more data, until the server closes the connection. Returns the bytes received. */
export function sendForever(port: number, beginning: string): Promise<string> {
  return new Promise((resolve) => {
    const received: Buffer[] = []
    const block = Buffer.alloc(65_536, 'a')
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(beginning)
      sendMore()
    })
    const sendMore = (): void => {
      while (socket.writable && socket.write(block));
    }
    socket.on('drain', sendMore)
    socket.on('data', (chunk) => received.push(chunk))
    // The server closes the connection while this client is still sending. The test expects that error.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(received).toString('latin1')))
  })
}

/** Returns the text of a request with `Connection: close`. */
export function requestText(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: as.test', 'Connection: close', ...headers, '', body].join('\r\n')
}

/** Returns the status of every response in a transcript, in order. */
export const statusesIn = (transcript: string): readonly number[] =>
  [...transcript.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((match) => Number(match[1]))
