import { Webhook } from 'standardwebhooks'

/** What the message is about. */
interface Change {
  readonly type: string
  readonly data: { readonly user_id?: string; readonly user?: { readonly active: boolean } | null }
}

/** Your own table. */
export interface UserTable {
  setActive(id: string, active: boolean): Promise<void>
  remove(id: string): Promise<void>
}

/** @param secret the `whsec_…` that `mintmark webhook create` has printed. */
export function createReceiver(secret: string, users: UserTable): (request: Request) => Promise<Response> {
  const webhook = new Webhook(secret)
  return async (request) => {
    const body = await request.text()
    try {
      webhook.verify(body, Object.fromEntries(request.headers))
    } catch {
      return new Response(null, { status: 401 })
    }
    const { type, data } = JSON.parse(body) as Change
    if (data.user_id !== undefined && type.startsWith('user.')) {
      if (type === 'user.removed' || data.user === null) await users.remove(data.user_id)
      else if (data.user !== undefined) await users.setActive(data.user_id, data.user.active)
    }
    return new Response(null, { status: 204 })
  }
}
