import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { cookies } from 'next/headers'

/** Your product's session. */
export interface Session {
  readonly userId: string
  /** When the user signed in, in seconds since 1970. */
  readonly signedInAt: number
  /** Public, and different for each sign-in. */
  readonly sessionId: string
}

/** Returns the session of the current request, if its cookie is valid. */
export async function readSession(): Promise<Session | undefined> {
  const [content = '', signature = ''] = (await cookies()).get(cookieName)?.value.split('.') ?? []
  const presented = Buffer.from(signature)
  const expected = Buffer.from(sign(content))
  if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return undefined
  return JSON.parse(Buffer.from(content, 'base64url').toString()) as Session
}

/** Sets the cookie in the response of a route handler or Server Action. */
export async function startSession(userId: string): Promise<void> {
  const session: Session = { userId, signedInAt: Math.floor(Date.now() / 1000), sessionId: randomUUID() }
  const content = Buffer.from(JSON.stringify(session)).toString('base64url')
  const secure = process.env['ISSUER_URL']?.startsWith('https:') ?? false
  const options = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const
  ;(await cookies()).set(cookieName, `${content}.${sign(content)}`, options)
}

/** Removes the cookie. The response needs no header of its own, because Next.js sends it. */
export async function endSession() {
  ;(await cookies()).delete(cookieName)
  return []
}

const cookieName = 'product-session'

function sign(content: string): string {
  const secret = process.env['SESSION_SECRET']
  if (!secret) throw new Error('Set SESSION_SECRET to a random value of at least 32 characters.')
  return createHmac('sha256', secret).update(content).digest('base64url')
}
