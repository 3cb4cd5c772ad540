import type { IncomingMessage, ServerResponse as OutgoingMessage } from 'node:http'
import type { HttpService } from '@mintmark/core/http'
import { toNodeHandler } from './to-node-handler.ts'

/**
 * A listener for a server that serves nothing else: `createServer(toNodeListener(server))`. Other paths are answered with
 * 404. What goes wrong in the host is answered with 500 and becomes a warning of the process (`process.on('warning')`): a
 * rejection that nobody handles would end the process, and with it everybody's sign-in.
 */
export function toNodeListener(
  ...services: readonly HttpService[]
): (request: IncomingMessage, response: OutgoingMessage) => void {
  const handle = toNodeHandler(...services)
  return (request, response) => {
    handle(request, response).then(
      (isAnswered) => isAnswered || end(response, 404),
      (error: unknown) => {
        process.emitWarning(error instanceof Error ? error : String(error))
        end(response, 500)
      },
    )
  }
}

/** Says no more than the status. What a failed answer had set already is dropped, cookies too. */
function end(response: OutgoingMessage, status: 404 | 500): void {
  if (response.headersSent) return void response.end()
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  response.writeHead(status, { 'Cache-Control': 'no-store', 'Content-Length': 0 }).end()
}
