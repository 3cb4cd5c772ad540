import { randomBytes } from 'node:crypto'

import type { Request, Response } from 'express'

import type { Problem, SignedInPerson, StartedSignIn } from './sign-in-flow.ts'

/** What the client remembers of a browser. */
export interface WebSession {
  /** Each tab may be in the middle of a sign-in of its own. */
  readonly started: readonly StartedSignIn[]
  readonly person: SignedInPerson | undefined
  /** What to tell on the next page. */
  readonly problem: Problem | undefined
}

/** The client's own sessions, in memory. They have nothing to do with those of the server. */
export interface WebSessions {
  of(request: Request): WebSession
  save(session: WebSession, request: Request, response: Response): void
  /** Saves under a new name when somebody signs in, so that a session planted in the browser before is of no use. */
  saveRenamed(session: WebSession, request: Request, response: Response): void
}

export function webSessions(isSecure: boolean): WebSessions {
  const sessions = new Map<string, WebSession>()

  const insert = (session: WebSession, response: Response): void => {
    const id = randomBytes(32).toString('base64url')
    sessions.set(id, session)
    const [oldest = ''] = sessions.keys()
    if (sessions.size > mostSessions) sessions.delete(oldest)
    response.cookie('web-client', id, { httpOnly: true, sameSite: 'lax', secure: isSecure, path: '/web' })
  }

  return {
    of: (request) => sessions.get(idOf(request)) ?? empty,
    save(session, request, response) {
      const id = idOf(request)
      if (sessions.has(id)) sessions.set(id, session)
      else insert(session, response)
    },
    saveRenamed(session, request, response) {
      sessions.delete(idOf(request))
      insert(session, response)
    },
  }
}

const idOf = (request: Request): string => /(?:^|; )web-client=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? ''

const empty: WebSession = { started: [], person: undefined, problem: undefined }
const mostSessions = 1000
