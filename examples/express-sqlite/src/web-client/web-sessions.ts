import { randomBytes } from 'node:crypto'

import type { Request, Response } from 'express'

import type { Problem, SignInResult, StartedSignIn } from './sign-in-flow.ts'

/** A browser's session at this client. */
export interface WebSession {
  /** The sign-ins that were started and have not ended. Each tab may have one. */
  readonly started: readonly StartedSignIn[]
  readonly signIn: SignInResult | undefined
  /** The message for the next page. */
  readonly problem: Problem | undefined
}

/** The client's own sessions, in memory. They are independent of the server's sessions. */
export interface WebSessions {
  read(request: Request): WebSession
  save(session: WebSession, request: Request, response: Response): void
  /** Saves the session under a new identifier, which prevents session fixation at a sign-in. */
  saveWithNewId(session: WebSession, request: Request, response: Response): void
}

export function createWebSessions({ secureCookie }: { readonly secureCookie: boolean }): WebSessions {
  const sessions = new Map<string, WebSession>()

  const insert = (session: WebSession, response: Response): void => {
    const id = randomBytes(32).toString('hex')
    sessions.set(id, session)
    const [oldest = ''] = sessions.keys()
    if (sessions.size > maxSessions) sessions.delete(oldest)
    response.cookie('web-client', id, { httpOnly: true, sameSite: 'lax', secure: secureCookie, path: '/web' })
  }

  return {
    read: (request) => sessions.get(idOf(request)) ?? emptySession,
    save(session, request, response) {
      const id = idOf(request)
      if (sessions.has(id)) sessions.set(id, session)
      else insert(session, response)
    },
    saveWithNewId(session, request, response) {
      sessions.delete(idOf(request))
      insert(session, response)
    },
  }
}

const idOf = (request: Request): string => /(?:^|; )web-client=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? ''

const emptySession: WebSession = { started: [], signIn: undefined, problem: undefined }
const maxSessions = 1000
