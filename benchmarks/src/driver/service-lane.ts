import type { HttpService } from '@mintmark/core/http'

import type { Lane, Reply } from './lane.ts'

/**
 * Creates a lane without a connection, which passes requests to the server as plain values. Parsing them costs little.
 */
export function laneTo(server: HttpService): Lane {
  return { exchange: async (request) => exchange(request, server), close: () => undefined }
}

async function exchange(request: string, server: HttpService): Promise<Reply> {
  const [head = '', body = ''] = request.split('\r\n\r\n', 2)
  const [line = '', ...fields] = head.split('\r\n')
  const [method = '', target = ''] = line.split(' ')
  const headers = new Map(
    fields.map((field) => [field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 2)] as const),
  )
  const url = new URL(server.origin + target)
  const response = await server.handle({
    method,
    url,
    headers,
    repeatedHeaders: new Set(),
    host: undefined,
    body: new TextEncoder().encode(body),
  })
  return {
    status: response.status,
    head: ['', ...response.headers.map((pair) => pair.join(': '))].join('\r\n'),
    body: String(response.body ?? ''),
  }
}
