import type { IncomingMessage, ServerResponse as OutgoingMessage } from 'node:http'

import type { ServerResponse } from '@mintmark/core/http'

/** The connections that are being closed, and the bytes that were discarded from them. */
export interface Lingering {
  connections: number
  bytes: number
}

/**
 * Sends the response, and closes the connection when the client has sent everything or pauses. Until then it discards what
 * the client sends. If it closed the connection with bytes unread, TCP would send a reset, and the client might see the
 * reset instead of the response (RFC 9112 §9.6).
 */
export function answerAndClose(
  request: IncomingMessage,
  response: OutgoingMessage,
  { body, lingering }: { readonly body: ServerResponse['body']; readonly lingering: Lingering },
): void {
  // Many refused uploads at a time must not keep the server busy with reading: further ones are closed at once, with a reset.
  if (request.closed || lingering.connections >= lingerConnections) return void response.end(body)
  // A write without a body would send no headers, or throw (`rejectNonStandardBodyWrites`).
  if (body === undefined) response.flushHeaders()
  else response.write(body)
  let discarded = 0
  lingering.connections += 1
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    lingering.bytes += chunk.length
    if (lingering.bytes > lingerBytes) request.pause()
  })
  request.resume()
  const timer = whenIdle(
    () => discarded,
    () => response.end(),
  )
  request.once('end', () => response.end())
  request.once('close', () => {
    clearInterval(timer)
    lingering.bytes -= discarded
    lingering.connections -= 1
    response.end()
  })
}

/**
 * Calls `end` after a whole interval without progress, and in any case after the last interval. A busy process runs timers
 * late, and before it reads what has arrived meanwhile; so one late timer does not count as a pause of the client.
 */
function whenIdle(progress: () => number, end: () => void): NodeJS.Timeout {
  let before: number | undefined
  let intervals = 0
  return setInterval(() => {
    intervals += 1
    if (progress() === before || intervals === lingerIntervals) end()
    before = progress()
  }, lingerMilliseconds)
}

const lingerConnections = 100

const lingerBytes = 16_777_216

const lingerMilliseconds = 250

/** Ten seconds in all, for a client that sends slowly without a pause. */
const lingerIntervals = 40
