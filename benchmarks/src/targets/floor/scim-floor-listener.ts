import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

import type { ScimDocument, ScimDocuments, ScimPage } from './scim-documents.ts'

/**
 * Creates a SCIM server that passes documents through as text. It checks the secret and the method, supports only the
 * requests of the workloads, and does not handle errors, so it is a lower bound and not a usable server.
 * @param atOnce how many requests are processed at the same time. The writes of requests that are processed at the same
 * time may be committed together.
 */
export function scimFloorListener(documents: ScimDocuments, atOnce = Infinity): RequestListener {
  const waiting: (() => void)[] = []
  let running = 0

  async function inTurn(work: () => Promise<void>): Promise<void> {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    running += 1
    await work()
    running -= 1
    waiting.shift()?.()
  }

  return (request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => void inTurn(() => answer(documents, { request, response, body })))
  }
}

interface ReceivedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: string
}

async function answer(documents: ScimDocuments, { request, response, body }: ReceivedRequest): Promise<void> {
  const presented = Buffer.from(
    hash('sha256', (request.headers.authorization ?? '').slice('Bearer '.length), 'base64url'),
  )
  if (!timingSafeEqual(presented, Buffer.from(await documents.secretDigest()))) return send(response, 401, '')
  const [path = '', query] = (request.url ?? '').split('?')
  if (request.method === 'POST') return send(response, 201, await documents.insert(JSON.parse(body) as ScimDocument))
  if (request.method === 'PATCH')
    return send(response, 200, await documents.change(path.slice('/Users/'.length), replacedMembers(body)))
  return send(response, 200, await list(documents, new URLSearchParams(query)))
}

async function list(documents: ScimDocuments, query: URLSearchParams): Promise<string> {
  const filter = query.get('filter')
  if (filter === null) {
    const startIndex = Number(query.get('startIndex'))
    return listOf(await documents.page(startIndex - 1, Number(query.get('count'))), startIndex)
  }
  const value = (/"([^"]*@[^"]*)"/.exec(filter)?.[1] ?? '').toLowerCase()
  const texts = filter.startsWith('userName eq ')
    ? await documents.byUserName(value)
    : await documents.byWorkEmail(value)
  return listOf({ texts, total: texts.length }, 1)
}

const listOf = ({ texts, total }: ScimPage, startIndex: number): string =>
  `{"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],"totalResults":${total},"startIndex":${startIndex},` +
  `"itemsPerPage":${texts.length},"Resources":[${texts.join()}]}`

/** Returns the members that a PATCH replaces. */
function replacedMembers(body: string): Partial<ScimDocument> {
  const { Operations: operations } = JSON.parse(body) as {
    readonly Operations: readonly { readonly path: string; readonly value: unknown }[]
  }
  return Object.fromEntries(operations.map(({ path, value }) => [path, value]))
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'Content-Type': 'application/scim+json', 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}
