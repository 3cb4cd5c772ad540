import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

import type { ScimDocuments, ScimPage } from './scim-documents.ts'
import type { ScimWork } from './scim-work.ts'

/**
 * Creates a SCIM server that passes documents through as text. It checks the secret and the method, supports only the
 * requests of the workloads, and does not handle errors, so it is a lower bound and not a usable server.
 */
export function scimFloorListener({ documents, work, atOnce }: ScimFloor): RequestListener {
  const waiting: (() => void)[] = []
  let running = 0

  async function inTurn(run: () => Promise<void>): Promise<void> {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    running += 1
    await run()
    running -= 1
    waiting.shift()?.()
  }

  return (request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => void inTurn(() => answer({ request, response, body }, documents, work)))
  }
}

interface ScimFloor {
  readonly documents: ScimDocuments
  readonly work: ScimWork
  /**
   * How many requests are processed at the same time. The writes of requests that are processed at the same time may be
   * committed together.
   */
  readonly atOnce: number
}

interface ReceivedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: string
}

async function answer(
  { request, response, body }: ReceivedRequest,
  documents: ScimDocuments,
  work: ScimWork,
): Promise<void> {
  const presented = Buffer.from(
    hash('sha256', (request.headers.authorization ?? '').slice('Bearer '.length), 'base64url'),
  )
  const isKnown = timingSafeEqual(presented, Buffer.from(await documents.secretDigest()))
  if (!isKnown) return send(response, { status: 401, headers: {}, body: '' })
  const [path = '', query] = (request.url ?? '').split('?')
  if (request.method === 'GET')
    return send(response, {
      status: 200,
      headers: work.headers,
      body: await list(new URLSearchParams(query), documents, work),
    })
  const status = request.method === 'POST' ? 201 : 200
  const written = await (status === 201
    ? documents.insert(work.parseUser(body))
    : documents.change(path.slice('/Users/'.length), work.parsePatch(body)))
  send(response, { status, headers: { ...work.headers, ...work.describe(written, status) }, body: written.text })
}

async function list(query: URLSearchParams, documents: ScimDocuments, work: ScimWork): Promise<string> {
  const filter = query.get('filter')
  if (filter === null) {
    const startIndex = Number(query.get('startIndex'))
    return listOf(await documents.page(startIndex - 1, Number(query.get('count'))), startIndex)
  }
  const { by, value } = work.parseFilter(filter)
  const texts = await (by === 'userName' ? documents.byUserName(value) : documents.byWorkEmail(value))
  return listOf({ texts, total: texts.length }, 1)
}

const listOf = ({ texts, total }: ScimPage, startIndex: number): string =>
  `{"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],"totalResults":${total},"startIndex":${startIndex},` +
  `"itemsPerPage":${texts.length},"Resources":[${texts.join()}]}`

interface Sent {
  readonly status: number
  readonly headers: ScimWork['headers']
  readonly body: string
}

function send(response: ServerResponse, { status, headers, body }: Sent): void {
  response.writeHead(status, {
    'Content-Type': 'application/scim+json',
    ...headers,
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}
