import { context, trace, type Span, type Tracer } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { createAdminServer } from '@mintmark/admin'
import {
  countEvents,
  createAuthorizationServer,
  createStoredKeys,
  measureService,
  observeDeliveries,
  traceService,
} from '@mintmark/core'
import { createRegistrationServer } from '@mintmark/registration'
import { createScimServer } from '@mintmark/scim'
import { epochSeconds } from '@mintmark/storage-interface'
import { aDelivery } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { basic, token } from '../support/flow.ts'
import { plainRequest } from '../support/plain-request.ts'
import { startServer } from '../support/server-under-test.ts'

describe('OpenTelemetry', () => {
  it('the metrics SDK counts actions and refusals by reason, without attributes that identify anyone', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
    const site = await startServer({ onEvent: countEvents(provider.getMeter('test')) })
    const asMachine = (secret: string) =>
      token(site, { grant_type: 'client_credentials' }, { authorization: basic('M', secret) })
    await asMachine(site.clients.M.secret)
    await asMachine(site.clients.M.secret)
    await asMachine('wrong')
    await provider.forceFlush()

    const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    const counts = metrics.flatMap(({ dataPoints }) =>
      dataPoints.map(({ attributes, value }): Readonly<Record<string, unknown>> => ({ ...attributes, value })),
    )

    expect(counts).toEqual([
      { type: 'tokens.issued', value: 2 },
      { type: 'request.refused', code: 'invalid_client', reason: 'client_credentials_wrong', value: 1 },
    ])
    await provider.shutdown()
    await site.close()
  })

  it('the metrics SDK gets the duration of each request, by route and status, without attributes that identify anyone', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
    const { server } = await startServer()
    const measured = measureService(server, provider.getMeter('test'))

    await measured.handle(plainRequest(server.origin, { method: 'DELETE', path: '/token' }))
    await measured.handle(plainRequest(server.origin, { path: '/.well-known/openid-configuration' }))
    await provider.forceFlush()
    const [metric] = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))

    expect(metric?.descriptor).toMatchObject({ name: 'http.server.request.duration', unit: 's' })
    expect(metric?.dataPoints.map(({ attributes }) => attributes)).toEqual([
      {
        'http.request.method': 'DELETE',
        'http.response.status_code': 405,
        'url.scheme': 'https',
        'http.route': '/token',
      },
      {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'url.scheme': 'https',
        'http.route': '/.well-known/openid-configuration',
      },
    ])
    await provider.shutdown()
  })

  it('the metrics SDK reads how many deliveries are pending and dead, and the age of the oldest', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const { createdAt } = aDelivery('1')
    await storage.deliveries.enqueue([aDelivery('1'), aDelivery('2')])
    observeDeliveries(provider.getMeter('test'), { storage, clock: () => epochSeconds(createdAt + 90) })

    await provider.forceFlush()

    const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    expect(metrics.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints[0]?.value])).toEqual([
      ['mintmark.deliveries.pending', 2],
      ['mintmark.deliveries.dead', 0],
      ['mintmark.deliveries.oldest', 90],
    ])
    await provider.shutdown()
  })

  it('a tracer gets a span for each request, with the attributes of the HTTP conventions', async () => {
    const { spans, send } = tracedSite()

    await send('GET', '/jwks')

    expect(spans).toEqual([
      {
        name: 'GET /jwks',
        'http.request.method': 'GET',
        'http.route': '/jwks',
        'url.path': '/jwks',
        'url.scheme': 'https',
        'http.response.status_code': 200,
        ended: true,
      },
    ])
  })

  it('a span has few names and routes, whatever a client requests', async () => {
    const expected = [
      ['DELETE', '/grants/g-1', 'DELETE /grants/{grant_id}'],
      ['GET', '/unknown/u-1', 'GET'],
      ['PURGE', '/token', 'HTTP /token'],
      ['POST', '/scim/v2/enterprise-idps/acme/Users', 'POST /scim/v2/enterprise-idps/{provider}/users'],
      ['PATCH', '/scim/v2/enterprise-idps/acme/Users/u-1', 'PATCH /scim/v2/enterprise-idps/{provider}/users/{id}'],
      ['POST', '/scim/v2/enterprise-idps/acme/Users/.search', 'POST /scim/v2/enterprise-idps/{provider}/users/.search'],
      ['GET', '/scim/v2/enterprise-idps/acme/Unknown/u-1', 'GET'],
      ['POST', '/admin/v1/users/u-1/deactivate', 'POST /admin/v1/users/{user_id}/deactivate'],
      ['PUT', '/admin/v1/users/u-1/deactivate', 'PUT /admin/v1/users/{user_id}/deactivate'],
      ['GET', '/admin/v1/openapi.json', 'GET /admin/v1/openapi.json'],
      ['GET', '/admin/v1/unknown/u-1', 'GET'],
      ['POST', '/register', 'POST /register'],
      ['PUT', '/register/c-1', 'PUT /register/{client_id}'],
      ['PUT', '/register/c-1/c-2', 'PUT'],
    ] as const
    const { spans, send } = tracedSite()

    for (const [method, path] of expected) await send(method, path)

    expect(spans.map((span) => [span['name'], span['http.route'], span['http.request.method']])).toEqual(
      expected.map(([method, , name]) => [name, name.split(' ')[1], method === 'PURGE' ? '_OTHER' : method]),
    )
  })
})

/** Creates four traced services. `send` sends a request to the service that has the path. */
function tracedSite() {
  const spans: Readonly<Record<string, unknown>>[] = []
  const issuer = 'https://as.test'
  const storage = createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43) })
  const site = createAuthorizationServer({
    issuer,
    storage,
    keys,
    grantManagement: true,
    signedIn: () => Promise.resolve(undefined),
  })
  const services = {
    '/scim': createScimServer({ issuer, storage }),
    '/admin': createAdminServer({ issuer, storage, accessTokens: site }),
    '/register': createRegistrationServer({ issuer, storage }),
  }
  const send = (method: string, path: string) => {
    const service = Object.entries(services).find(([prefix]) => path.startsWith(prefix))?.[1] ?? site
    return traceService(service, recordingTracer(spans)).handle(plainRequest(issuer, { method, path }))
  }
  return { spans, send }
}

/** Creates a tracer with the types of the OpenTelemetry API. It records the data of its spans. */
function recordingTracer(spans: Record<string, unknown>[]): Tracer {
  const startSpan = (name: string): Span => {
    const attributes: Record<string, unknown> = { name }
    spans.push(attributes)
    const span = trace.wrapSpanContext({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 })
    span.setAttribute = (key, value) => {
      attributes[key] = value
      return span
    }
    span.end = () => void (attributes['ended'] = true)
    return span
  }
  const startActiveSpan = (name: string, ...rest: unknown[]): unknown => {
    const run = rest.at(-1) as (span: Span) => unknown
    return context.with(context.active(), run, undefined, startSpan(name))
  }
  return { startSpan, startActiveSpan }
}
