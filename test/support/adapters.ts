import type { RequestListener } from 'node:http'

import { getRequestListener } from '@hono/node-server'
import { toExpress, toExpressEndpoint } from '@mintmark/adapter-express'
import { toFetchEndpoint, toFetchHandler } from '@mintmark/adapter-fetch'
import { toNodeEndpoint, toNodeHandler } from '@mintmark/adapter-node'
import type { Endpoint, HttpService } from '@mintmark/core/http'
import express, { type NextFunction, type Request as ExpressRequest, type Response as ExpressResponse } from 'express'

/** What a host serves: services, pages of its own by their paths, and the text `nothing here` with 404 everywhere else. */
export interface Site {
  readonly services: readonly HttpService[]
  readonly pages?: Readonly<Record<string, Page>>
  /** Hears what an adapter threw; the answer is the message, with status 500. */
  readonly onError?: (error: unknown) => void
}

/** A page of the host, and the service whose origin and body limit it takes over. */
interface Page {
  readonly service: HttpService
  readonly endpoint: Endpoint
}

/** A way to put a site behind HTTP. Every suite that speaks HTTP can run over each of them. */
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
    // oxlint-disable-next-line eslint/max-params -- Express knows an error handler by its four parameters.
    app.use((error: unknown, _request: ExpressRequest, response: ExpressResponse, _next: NextFunction) => {
      onError?.(error)
      response.status(500).send(messageOf(error))
    })
    // An Express application is a listener, whose types know only its own request.
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

/** Over Hono's server for Node, which turns requests into `Request` as runtimes that have no Node do. */
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
          if (isRefusedByServer(error)) return new Response(null, { status: 400 })
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
 * How a target is refused that is none of the site's paths: 404, or 400 where Hono's server does not turn it into a
 * `Request`.
 */
export const statusOfStrangeTarget = (adapter: Adapter, target: string): 404 | 400 =>
  adapter.name === 'Fetch' && (/^[^?]*\\/.test(target) || !/^(\/|https?:)/.test(target)) ? 400 : 404

/** What Hono's server does not turn into a `Request`. */
const isRefusedByServer = (error: unknown): boolean => error instanceof Error && error.name === 'RequestError'

const pathOf = (target = ''): string => target.split('?', 1)[0] ?? ''

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')

const nothingHere = 'nothing here'
