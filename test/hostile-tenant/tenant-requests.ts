import { send, type Sent } from '../support/send.ts'
import { memberId, type Scale } from './hostile-database.ts'

// What the hostile tenant sends.

/** The hostile tenant: a client with the tenant's own secret. */
export interface Tenant {
  readonly port: number
  readonly provider: string
  readonly secret: string
  /** The secret of its second directory, with few users. */
  readonly smallSecret: string
  readonly scale: Scale
}

/** One way to overload the server. */
export interface HostileCase {
  readonly name: string
  /** Whether the server is a plain node:http server that does nothing, which shows the minimum cost of the attack. */
  readonly isBare?: true
  /** Prepares the directory; it is not measured. */
  readonly prepare?: (tenant: Tenant) => Promise<void>
  /** Requests that are sent at the same time, again and again. Each returns its status. */
  readonly attacks: (tenant: Tenant) => readonly Attack[]
}

export const core = 'urn:ietf:params:scim:schemas:core:2.0'
export const messages = 'urn:ietf:params:scim:api:messages:2.0'

let counter = Date.now()
export const unique = (): string => (counter++).toString(36)

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))

export const members = (count: number) => times(count, (index) => ({ value: memberId(index + 1) }))

export const patch = (operations: readonly unknown[]) => ({ schemas: [`${messages}:PatchOp`], Operations: operations })

/** Returns the tenant with its second directory. */
export const small = (tenant: Tenant): Tenant => ({ ...tenant, provider: 'small', secret: tenant.smallSecret })

export type Attack = () => Promise<number | string>

export const get = (tenant: Tenant, path: string): Attack => request(tenant, { method: 'GET', path })

export const post = (tenant: Tenant, path: string, body: unknown): Attack =>
  request(tenant, { method: 'POST', path, headers: scimJson, body: textOf(body) })

export const sendJson = (tenant: Tenant, method: string, path: string, body: unknown): Attack =>
  request(tenant, { method, path, headers: scimJson, body: textOf(body) })

const scimJson = { 'content-type': 'application/scim+json' }

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

const request =
  ({ port, provider, secret }: Tenant, sent: Sent): Attack =>
  async () => {
    const reply = await send(port, {
      ...sent,
      path: `/scim/v2/enterprise-idps/${provider}${sent.path}`,
      headers: { ...sent.headers, authorization: `Bearer ${secret}` },
    })
    return reply.status < 400 ? reply.status : `${reply.status} ${errorType(reply.text)}`.trimEnd()
  }

/** Returns the `scimType` of an error (RFC 7644 §3.12). */
const errorType = (text: string): string => /"scimType":"(\w+)"/.exec(text)?.[1] ?? ''

/** Sends several requests one after the other. @returns the status of the last. */
export const inTurn =
  (...attacks: readonly Attack[]): Attack =>
  async () => {
    let status: number | string = 'nothing'
    for (const attack of attacks) status = await attack()
    return status
  }

/** A search by message: its filter may be longer than a URL. */
export const search = (tenant: Tenant, filter: string): Attack =>
  post(tenant, '/Users/.search', { schemas: [`${messages}:SearchRequest`], filter })

export const bulk = (tenant: Tenant, operations: readonly unknown[]): Attack =>
  post(tenant, '/Bulk', { schemas: [`${messages}:BulkRequest`], Operations: operations })
