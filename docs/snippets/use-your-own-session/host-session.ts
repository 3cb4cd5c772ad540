import type { RequestHead } from '@mintmark/core/http'
import type { Request } from 'express'

declare module 'express-session' {
  interface SessionData {
    /** Who signed in, when, in seconds since 1970, and a public name of the session. */
    user: { id: string; signedInAt: number; sessionId: string }
  }
}

/** The user of your session. `host` is the request as Express has it. */
export const signedIn = ({ host }: RequestHead) => {
  const { user } = (host as Request).session
  return Promise.resolve(
    user && { subject: user.id, authTime: user.signedInAt, amr: ['pwd'], sessionId: user.sessionId },
  )
}

/** Ends your session in the browser that sent the request. express-session removes it by its cookie. */
export const endSession = async ({ host }: RequestHead) => {
  await new Promise((done) => (host as Request).session.destroy(done))
  return []
}
