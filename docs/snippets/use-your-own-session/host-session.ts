import { promisify } from 'node:util'
import type { RequestHead } from '@mintmark/core/http'
import type { Request } from 'express'

declare module 'express-session' {
  interface SessionData {
    /** The user who signed in, the time in seconds since 1970, and a public identifier of the session. */
    user: { id: string; signedInAt: number; sessionId: string }
  }
}

/** Returns the user of your session. `host` is Express's own request object. */
export const signedIn = ({ host }: RequestHead) => {
  const { user } = (host as Request).session
  return Promise.resolve(
    user && { subject: user.id, authTime: user.signedInAt, amr: ['pwd'], sessionId: user.sessionId },
  )
}

/** Ends your session in the browser that sent the request. It fails if the session store does: the user is then still signed in. */
export const endSession = async ({ host }: RequestHead) => {
  await promisify<void>((done) => (host as Request).session.destroy(done))()
  return []
}
