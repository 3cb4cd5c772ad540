import { existsSync, globSync, readFileSync } from 'node:fs'

import type { HttpService } from '@mintmark/core/http'
import { groupResourceType, registerIdentityProvider, userResourceType, type ResourceType } from '@mintmark/scim'
import { describe, expect, it } from 'vitest'

import { exportedNames } from '../../scripts/reference/api-page.ts'
import { refusals } from '../../packages/core/src/refusals.ts'
import { refusals as accessRefusals } from '../../packages/resource-server/src/refusals.ts'
import { eventsOf } from '../../scripts/reference/event.ts'
import { documentedApis, type DocumentedApi } from '../../scripts/reference/documented-apis.ts'
import { configurables, writtenOut } from '../../scripts/reference/option.ts'
import { readPublicApi } from '../../scripts/reference/public-api.ts'
import { referenceFiles } from '../../scripts/reference/reference-files.ts'
import { refusalsOf } from '../../scripts/reference/refusals.ts'

const api = readPublicApi()

describe('docs/reference (update with `pnpm generate reference`)', async () => {
  it.each([...(await referenceFiles(api))])('%s matches the sources', (path, text) => {
    expect(existsSync(path) && readFileSync(path, 'utf8') === text).toBe(true)
  })

  it.each(['cli', 'storage-sql'])('every program of packages/%s has a section', (folder) => {
    const { bin } = JSON.parse(readFileSync(`packages/${folder}/package.json`, 'utf8')) as { readonly bin: object }
    const page = readFileSync('docs/reference/command-line.md', 'utf8').split('\n')

    expect(page).toEqual(expect.arrayContaining(Object.keys(bin).map((name) => `## ${name}`)))
  })
})

it('the packages export fewer than 275 names, which docs/reference/api.md lists', () => {
  expect(exportedNames(api.entryPoints)).toBeLessThan(275)
})

describe('every option has a doc comment', () => {
  const options = configurables(api).flatMap(({ name, options: taken }) =>
    taken.map((option) => ({ ...option, label: `${name}: ${option.name}` })),
  )

  it('that describes it', () => {
    expect(options.filter(({ text }) => text === '').map(({ label }) => label)).toEqual([])
  })

  it('that gives its default and the reason for it: `@defaultValue 60. Revocation takes effect quickly.`', () => {
    const unexplained = options.filter(
      ({ isRequired, isGroup, defaultValue }) =>
        !isRequired && !(isGroup && defaultValue === undefined) && (defaultValue?.reason ?? '') === '',
    )

    expect(unexplained.map(({ label }) => label)).toEqual([])
  })
})

it.each([...writtenOut])('the type %s, whose members are listed below its option, exists', (name) => {
  const sources = globSync('packages/*/src/**/*.ts').map((file) => readFileSync(file, 'utf8'))

  expect(sources.some((text) => new RegExp(`(?:interface|type) ${name}\\b`).test(text))).toBe(true)
})

describe('every event and every reason has a description', () => {
  it.each([
    ['ServerOccurrence', 'packages/core/src/events.ts'],
    ['ScimOccurrence', 'packages/scim/src/event/scim-event.ts'],
    ['AdminOccurrence', 'packages/admin/src/audit/admin-event.ts'],
  ])('%s', (alias, file) => {
    const events = eventsOf(alias, file, api)

    expect(events.length).toBeGreaterThan(5)
    expect(events.filter(({ text }) => text === '')).toEqual([])
  })

  it.each([
    ['core', refusals],
    ['resource-server', accessRefusals],
  ])('in every row of the table of refusals of %s', (folder, table) => {
    const rows = refusalsOf(table, `packages/${folder}/src/refusals.ts`, api)

    expect(rows.length).toBeGreaterThan(30)
    expect(rows.filter(({ meaning }) => meaning === '')).toEqual([])
  })
})

describe('the OpenAPI documents match the server', async () => {
  const apis = await documentedApis()
  const { secret } = await registerIdentityProvider({ providerId: 'acme' }, { storage: apis.storage })

  it.each(['authorization-server', 'scim', 'administration'] as const)(
    '%s lists each path with exactly the methods that the server allows',
    async (name) => {
      const { server, document } = apis.byName[name]
      const base = baseOf(document).replace('{provider_id}', 'acme')

      const differing = await Promise.all(
        [...documented(document)].map(async ([path, methods]) => {
          const allowed = await methodsAt(base + path.replaceAll(/\{\w+\}/g, 'x'), { server, secret })
          return allowed === methods ? [] : [`${path}: the document lists ${methods}, the server allows ${allowed}`]
        }),
      )

      expect(differing.flat()).toEqual([])
    },
  )

  it('authorization-server lists the same parameter values as the metadata (RFC 8414 §2)', () => {
    const { paths } = apis.byName['authorization-server'].document as unknown as OpenApi
    const parameters = paths['/auth']?.['get']?.parameters ?? []
    const valuesOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.schema.enum
    const form = paths['/token']?.['post']?.requestBody?.content['application/x-www-form-urlencoded']?.schema

    expect({
      response_types_supported: valuesOf('response_type'),
      response_modes_supported: valuesOf('response_mode'),
      code_challenge_methods_supported: valuesOf('code_challenge_method'),
      grant_types_supported: form?.properties['grant_type']?.enum,
    }).toEqual(
      Object.fromEntries(
        [
          'response_types_supported',
          'response_modes_supported',
          'code_challenge_methods_supported',
          'grant_types_supported',
        ].map((name) => [name, apis.metadata[name]]),
      ),
    )
  })

  it.each([
    ['User', userResourceType],
    ['Group', groupResourceType],
  ])('scim lists the attributes of the schemas for %s (RFC 7643 §7)', (name, { attributes, extensions }) => {
    const { components } = apis.byName.scim.document as unknown as OpenApi
    const schema = components.schemas[name]
    const ofExtensions = extensions.map((extension) => [extension.schema.id, namesOf(extension.schema.attributes)])

    expect(namesIn(schema)).toEqual({
      ...namesOf(attributes.filter((attribute) => attribute.name !== 'schemas')),
      ...Object.fromEntries(ofExtensions),
      schemas: {},
    })
  })
})

interface Schema {
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly properties: Readonly<Record<string, Schema>>
}

/** The part of the API description that this test reads. */
interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[]
            readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
          }
        >
      >
    >
  >
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Names {
  readonly [name: string]: Names
}

const namesOf = (attributes: ResourceType['attributes']): Names =>
  Object.fromEntries(attributes.map(({ name, subAttributes }) => [name, namesOf(subAttributes)]))

const namesIn = (schema: Schema | undefined): Names =>
  Object.fromEntries(
    Object.entries(schema?.properties ?? {}).map(([name, property]) => [name, namesIn(property.items ?? property)]),
  )

const baseOf = (document: DocumentedApi['document']): string =>
  (document as unknown as { readonly servers: readonly [{ readonly url: string }] }).servers[0].url

/** Returns the methods of each path in alphabetical order. */
function documented(document: DocumentedApi['document']): ReadonlyMap<string, string> {
  const { paths } = document as unknown as { readonly paths: Readonly<Record<string, object>> }
  return new Map(
    Object.entries(paths).map(([path, operations]) => [
      path,
      inOrder(Object.keys(operations).map((method) => method.toUpperCase())),
    ]),
  )
}

/** Returns the `Allow` header of the response to an unknown method (RFC 9110 §15.5.6). */
async function methodsAt(
  address: string,
  { server, secret }: { readonly server: HttpService; readonly secret: string },
): Promise<string> {
  const headers = new Map([
    ['authorization', `Bearer ${secret}`],
    ['sec-fetch-site', 'same-origin'],
  ])
  const { headers: answered } = await server.handle({
    method: 'BREW',
    url: new URL(address),
    headers,
    repeatedHeaders: new Set(),
    host: undefined,
    body: new Uint8Array(),
  })
  const allow = answered.find(([name]) => name === 'Allow')?.[1] ?? ''
  return inOrder(allow.split(', ').filter((method) => method !== 'HEAD'))
}

const inOrder = (methods: readonly string[]): string => methods.toSorted().join(' ')
