// The floor of SCIM: documents as JSON text in an indexed table. It checks the secret and the method, understands exactly the
// requests of the workloads, and handles no errors: a limit, not a server.
import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import { scimSecret } from '../scim-secret.ts'
import { serveTarget, targetSettings } from '../serve-target.ts'
import { scimDocuments, type ScimDocument } from './scim-documents.ts'
import { sqlConnection } from './sql-connection.ts'

const settings = targetSettings()
const secretDigest = hash('sha256', scimSecret, 'base64url')
const documents = await scimDocuments(sqlConnection(settings), { accounts: settings.rows, secretDigest })

await serveTarget({
  listener: (request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => void answer(request, response, body))
  },
  site: { scim: { basePath: '', secret: scimSecret, accounts: settings.rows } },
})

async function answer(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
  const presented = Buffer.from(hash('sha256', (request.headers.authorization ?? '').slice('Bearer '.length), 'base64url'))
  if (!timingSafeEqual(presented, Buffer.from(await documents.secretDigest()))) return send(response, 401, '')
  const [path = '', query] = (request.url ?? '').split('?')
  if (request.method === 'POST') return send(response, 201, JSON.stringify(await documents.insert(parse(body))))
  if (request.method === 'PATCH') return send(response, 200, JSON.stringify(await patch(path.slice('/Users/'.length), body)))
  return send(response, 200, await list(new URLSearchParams(query)))
}

async function list(query: URLSearchParams): Promise<string> {
  const filter = query.get('filter')
  if (filter === null) {
    const startIndex = Number(query.get('startIndex'))
    return listOf(await documents.page(startIndex - 1, Number(query.get('count'))), await documents.total(), startIndex)
  }
  const value = (/"([^"]*@[^"]*)"/.exec(filter)?.[1] ?? '').toLowerCase()
  const found = filter.startsWith('userName eq ') ? await documents.byUserName(value) : await documents.byWorkEmail(value)
  return listOf(found, found.length, 1)
}

const listOf = (texts: readonly string[], total: number, startIndex: number): string =>
  `{"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],"totalResults":${total},"startIndex":${startIndex},` +
  `"itemsPerPage":${texts.length},"Resources":[${texts.join()}]}`

async function patch(id: string, body: string): Promise<ScimDocument> {
  const document = parse(await documents.find(id))
  const { Operations: operations } = JSON.parse(body) as { readonly Operations: readonly { readonly path: string; readonly value: unknown }[] }
  return documents.update(Object.assign(document, ...operations.map(({ path, value }) => ({ [path]: value }))) as ScimDocument)
}

const parse = (text: string): ScimDocument => JSON.parse(text) as ScimDocument

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'Content-Type': 'application/scim+json', 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}
