import { send, type Reply } from '../support/send.ts'
import { issuer } from './server-config.ts'

/** The requests of the identity provider T1 to any of the servers. */
export interface ScimRequests {
  send(port: number, method: string, path: string, body?: object): Promise<Reply>
  patch(port: number, path: string, ...Operations: readonly object[]): Promise<Reply>
  /** Creates a user. @returns its `id`. */
  provision(port: number, userName: string): Promise<string>
  /** Sends a `PATCH` with `active: false`, as identity providers do to deprovision a user (RFC 7644 §3.5.2). */
  deactivate(port: number, id: string): Promise<Reply>
}

/** @param secret the Secret Token of T1. */
export function scimRequests(secret: string): ScimRequests {
  const request: ScimRequests['send'] = (port, method, path, body) =>
    send(port, {
      method,
      path: `${new URL(issuer).pathname.replace(/\/$/, '')}/scim/v2/enterprise-idps/T1${path}`,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const patch: ScimRequests['patch'] = (port, path, ...Operations) =>
    request(port, 'PATCH', path, { schemas: [patchMessage], Operations })

  return {
    send: request,
    patch,
    provision: async (port, userName) =>
      idOf(await request(port, 'POST', '/Users', { schemas: [userSchema], userName })),
    deactivate: (port, id) => patch(port, `/Users/${id}`, { op: 'replace', path: 'active', value: false }),
  }
}

/** Returns the `id` of the created resource. @throws Error if none was created. */
export function idOf(reply: Reply): string {
  if (reply.status !== 201) throw new Error(`Nothing was created: ${reply.status} ${reply.text}`)
  return String(reply.json['id'])
}

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const patchMessage = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
