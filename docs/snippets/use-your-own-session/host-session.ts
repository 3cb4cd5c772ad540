import { AsyncLocalStorage } from 'node:async_hooks'
import type { Request } from 'express'

declare module 'express-session' {
  interface SessionData {
    /** Who signed in, and when, in seconds since 1970. */
    person: { id: string; signedInAt: number }
  }
}

/** The current Express request, which has your session. */
export const current = new AsyncLocalStorage<Request>()

/** The user of your session. */
export const signedIn = () => {
  const person = current.getStore()?.session.person
  return Promise.resolve(person && { subject: person.id, authTime: person.signedInAt, amr: ['pwd'] })
}
