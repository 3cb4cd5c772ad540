import { randomBytes } from 'node:crypto'

import type { Request, Response } from 'express'

import type { Problem, SignInResult, StartedSignIn } from './sign-in-flow.ts'

/** The client's session of a browser. */
export interface WebSession {
  /** The sign-ins that were started. Each tab may have one. */
  readonly started: readonly StartedSignIn[]
  readonly signIn: SignInResult | undefined
  /** The message for the next page. */
  readonly problem: Problem | undefined
}

/** The client's own sessions, in memory. They are independent of the server's sessions. */
export interface WebSessions {
  of(request: Request): WebSession
  save(session: WebSession, request: Request, response: Response): void
  /** Saves a session. A sign-in gives it a new identifier, which prevents session fixation. */
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

const empty: WebSession = { started: [], signIn: undefined, problem: undefined }
const mostSessions = 1000
