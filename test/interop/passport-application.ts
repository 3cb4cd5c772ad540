import type { RequestListener } from 'node:http'

import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import session from 'express-session'
import passport, { type Strategy } from 'passport'

/** Creates an application as the documentation of passport shows: `/login` and `/callback` use the strategy. */
export function passportApplication(strategy: Strategy): RequestListener {
  const authenticator = new passport.Passport()
  const authenticate = authenticator.authenticate(strategy, { session: false, failWithError: true }) as RequestHandler
  const answerError: ErrorRequestHandler = (error: Failure, _request, response, _next) => {
    response.status(error.status ?? 500).json({ error: error.code, message: error.message })
  }
  const app = express()
    .use(session({ secret: 'of the test', resave: false, saveUninitialized: false }))
    .get(['/login', '/callback'], authenticate, (request, response) => void response.json(request.user))
    .use(answerError)
  // An Express application is a request listener, but its types only accept Express's own request.
  return app as RequestListener
}

/** The errors of passport and its strategies. */
type Failure = Error & { readonly status?: number; readonly code?: string }
