import type { RequestListener } from 'node:http'

import { getRequestListener } from '@hono/node-server'
import { toExpress, toExpressEndpoint } from '@mintmark/adapter-express'
import { toFetchEndpoint, toFetchHandler } from '@mintmark/adapter-fetch'
import { toNodeEndpoint, toNodeHandler } from '@mintmark/adapter-node'
import type { Endpoint, HttpService } from '@mintmark/core/http'
import express, { type NextFunction, type Request as ExpressRequest, type Response as ExpressResponse } from 'express'

/** What a host serves: services, its own pages by path, and 404 with the text `nothing here` for every other path. */
export interface Site {
  readonly services: readonly HttpService[]
  readonly pages?: Readonly<Record<string, Page>>
  /** Receives an error that an adapter threw; the response is the error's message with status 500. */
  readonly onError?: (error: unknown) => void
}

/** A page of the host, and the service whose origin and body limit it inherits. */
interface Page {
  readonly service: HttpService
  readonly endpoint: Endpoint
}

/** Serves a site over HTTP. Every HTTP suite can run over each adapter. */
export interface Adapter {
  readonly name: 'Express' | 'node:http' | 'Fetch'
  listener(site: Site): RequestListener
}

export const expressAdapter: Adapter = {
  name: 'Express',
  listener({ services, pages = {}, onError }) {
    const app = express().use(toExpress(...services))
    for (const [path, page] of Object.entries(pages)) app.all(path, toExpressEndpoint(page.service, page.endpoint))
    app.use((_request: ExpressRequest, response: ExpressResponse) => void response.status(404).send(nothingHere))
    // oxlint-disable-next-line eslint/max-params -- Express recognizes an error handler by its four parameters.
    app.use((error: unknown, _request: ExpressRequest, response: ExpressResponse, _next: NextFunction) => {
      onError?.(error)
      response.status(500).send(messageOf(error))
    })
    // An Express application is a request listener, but its types only accept Express's own request.
    return app as RequestListener
  },
}

const nodeAdapter: Adapter = {
  name: 'node:http',
  listener({ services, pages = {}, onError }) {
    const handlers = new Map(
      Object.entries(pages).map(([path, { service, endpoint }]) => [path, toNodeEndpoint(service, endpoint)]),
    )
    const handle = toNodeHandler(...services)
    return (request, response) => {
      const page = handlers.get(pathOf(request.url))
      const isAnswered = handle(request, response).then((answered) => answered || (page?.(request, response) ?? false))
      isAnswered.then(
        (answered) => void (answered || response.writeHead(404).end(nothingHere)),
        (error: unknown) => {
          onError?.(error)
          response.writeHead(500).end(messageOf(error))
        },
      )
    }
  },
}

/** Uses Hono's Node server, which converts requests into `Request` objects, as runtimes other than Node.js do. */
const fetchAdapter: Adapter = {
  name: 'Fetch',
  listener({ services, pages = {}, onError }) {
    const handlers = new Map(
      Object.entries(pages).map(([path, { service, endpoint }]) => [path, toFetchEndpoint(service, endpoint)]),
    )
    const handle = toFetchHandler(...services)
    const listen = getRequestListener(
      async (request) => {
        const page = handlers.get(new URL(request.url).pathname)
        return (await handle(request)) ?? (await page?.(request)) ?? new Response(nothingHere, { status: 404 })
      },
      {
        overrideGlobalObjects: false,
        errorHandler: (error) => {
          if (isRequestError(error)) return new Response(null, { status: 400 })
          onError?.(error)
          return new Response(messageOf(error), { status: 500 })
        },
      },
    )
    return (request, response) => void listen(request, response)
  },
}

export const adapters: readonly Adapter[] = [expressAdapter, nodeAdapter, fetchAdapter]

/**
 * Returns the status for a request target that is not a path of the site: 404, or 400 where Hono's server cannot
 * convert the request into a `Request`.
 */
export const statusOfUnservedTarget = (adapter: Adapter, target: string): 404 | 400 =>
  adapter.name === 'Fetch' && (/^[^?]*\\/.test(target) || !/^(\/|https?:)/.test(target)) ? 400 : 404

/** Hono's server throws this error for a target that it cannot convert into a `Request`. */
const isRequestError = (error: unknown): boolean => error instanceof Error && error.name === 'RequestError'

const pathOf = (target = ''): string => target.split('?', 1)[0] ?? ''

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')

const nothingHere = 'nothing here'
