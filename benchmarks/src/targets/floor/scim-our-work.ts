import type { ScimDocument } from './scim-documents.ts'
import type { ScimLookup, ScimWork } from './scim-work.ts'

/**
 * What SCIM requires besides the statements, written by hand for the users of `scim-user.ts`: filters of the whole grammar,
 * names of attributes in any case, values of the types of the schema, and the headers of Mintmark's responses.
 */
export const ourScimWork: ScimWork = {
  headers: { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store', Pragma: 'no-cache' },
  describe: ({ version, location }, status) => ({
    ETag: `W/"${version}"`,
    [status === 201 ? 'Location' : 'Content-Location']: location,
  }),
  parseFilter: (filter) => lookupOf(parseFilter(filter)),
  parseUser: (body) => checked(JSON.parse(body), user) as ScimDocument,
  parsePatch(body) {
    const { schemas, Operations: operations } = JSON.parse(body) as PatchBody
    require(schemas.includes('urn:ietf:params:scim:api:messages:2.0:PatchOp'))
    const replaced: Record<string, unknown> = {}
    for (const { op, path, value } of operations) {
      require(op.toLowerCase() === 'replace')
      Object.assign(replaced, checked({ [path]: value }, user))
    }
    return replaced
  },
}

interface PatchBody {
  readonly schemas: readonly string[]
  readonly Operations: readonly { readonly op: string; readonly path: string; readonly value: unknown }[]
}

/** A filter (RFC 7644 §3.4.2.2). */
type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter }
  | { readonly kind: 'elements'; readonly name: string; readonly part: Filter }
  | { readonly kind: 'test'; readonly name: string; readonly operator: string; readonly value: unknown }

function parseFilter(text: string): Filter {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[()[\]]|[^\s()[\]"]+/g) ?? []
  let at = 0
  const take = (): string => tokens[at++] ?? ''
  const takes = (word: string): boolean => tokens[at]?.toLowerCase() === word && take() !== ''

  const sequence = (kind: 'and' | 'or', part: () => Filter): Filter => {
    const first = part()
    if (tokens[at]?.toLowerCase() !== kind) return first
    const parts = [first]
    while (takes(kind)) parts.push(part())
    return { kind, parts }
  }
  const either = (): Filter => sequence('or', () => sequence('and', factor))
  const enclosed = (end: ')' | ']'): Filter => {
    const filter = either()
    require(takes(end))
    return filter
  }
  const factor = (): Filter => {
    if (takes('not')) {
      require(takes('('))
      return { kind: 'not', part: enclosed(')') }
    }
    if (takes('(')) return enclosed(')')
    const name = take().toLowerCase()
    if (takes('[')) return { kind: 'elements', name, part: enclosed(']') }
    const operator = take().toLowerCase()
    require(operators.has(operator))
    return { kind: 'test', name, operator, value: operator === 'pr' ? undefined : JSON.parse(take()) }
  }

  const filter = either()
  require(at === tokens.length)
  return filter
}

const operators: ReadonlySet<string> = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'pr', 'gt', 'ge', 'lt', 'le'])

/** Returns what a filter of the workloads looks for. Strings are compared without regard to case. */
function lookupOf(filter: Filter): ScimLookup {
  const isForWork = filter.kind === 'elements' && filter.name === 'emails'
  const tests = isForWork && filter.part.kind === 'and' ? filter.part.parts : [filter]
  const name = isForWork ? 'value' : 'username'
  const test = tests.find((part) => part.kind === 'test' && part.name === name)
  const value = test?.kind === 'test' && test.operator === 'eq' ? test.value : undefined
  if (typeof value !== 'string') throw new Error('No workload has this filter.')
  return { by: isForWork ? 'workEmail' : 'userName', value: value.toLowerCase() }
}

/** The type of an attribute: of a string or flag, of the members of an object by lower-case name, or of the elements of a list. */
type Shape = 'string' | 'boolean' | ReadonlyMap<string, readonly [name: string, shape: Shape]> | readonly [Shape]

/** Returns a value with the names of the schema. Throws if it is not of the type. */
function checked(value: unknown, shape: Shape): unknown {
  if (typeof shape === 'string') {
    require(typeof value === shape)
    return value
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) throw new Error('Not a list.')
    return value.map((element) => checked(element, shape[0]))
  }
  if (typeof value !== 'object' || value === null) throw new Error('Not an object.')
  const members: Record<string, unknown> = {}
  for (const [written, member] of Object.entries(value)) {
    const attribute = shape.get(written.toLowerCase())
    if (attribute !== undefined) members[attribute[0]] = checked(member, attribute[1])
  }
  return members
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape)

const object = (shapes: Readonly<Record<string, Shape>>): Shape =>
  new Map(Object.entries(shapes).map(([name, shape]) => [name.toLowerCase(), [name, shape] as const]))

const strings = (...names: readonly string[]): Readonly<Record<string, Shape>> =>
  Object.fromEntries(names.map((name) => [name, 'string']))

const listed: Shape = [object({ ...strings('value', 'type', 'display'), primary: 'boolean' })]

const user = object({
  ...strings('externalId', 'userName', 'displayName', 'nickName', 'title', 'preferredLanguage', 'locale', 'timezone'),
  schemas: ['string'],
  name: object(strings('formatted', 'familyName', 'givenName', 'middleName', 'honorificPrefix', 'honorificSuffix')),
  active: 'boolean',
  emails: listed,
  phoneNumbers: listed,
  addresses: [object(strings('type', 'formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country'))],
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': object(
    strings('employeeNumber', 'costCenter', 'organization', 'division', 'department'),
  ),
})

function require(isMet: boolean): void {
  if (!isMet) throw new Error('The request is malformed.')
}
