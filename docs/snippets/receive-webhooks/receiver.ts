import { Webhook } from 'standardwebhooks'

/** The members of a message that the receiver reads. */
interface Change {
  readonly type: string
  readonly data: { readonly user_id?: string; readonly user?: { readonly active: boolean } | null }
}

/** Your own table of users. */
export interface UserTable {
  setActive(id: string, active: boolean): Promise<void>
  remove(id: string): Promise<void>
}

/** What the message itself says. With `--include-user`, it also contains the user. */
const activeAfter: ReadonlyMap<string, boolean> = new Map([
  ['user.deactivated', false],
  ['user.reactivated', true],
])

/** Creates a handler for webhook requests. @param secret the `whsec_…` that `mintmark webhook create` printed. */
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
      const active = data.user?.active ?? activeAfter.get(type)
      if (type === 'user.removed' || data.user === null) await users.remove(data.user_id)
      else if (active !== undefined) await users.setActive(data.user_id, active)
    }
    return new Response(null, { status: 204 })
  }
}
