// One file: every constant is a part of the one arbitrary `hostileScim`, and many of them use others.
import fc from 'fast-check'

/** A SCIM request before it is sent. Its path is relative to the tenant URL. */
export interface ScimInput {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const user = 'urn:ietf:params:scim:schemas:core:2.0:User'
const group = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const device = 'urn:example:params:scim:schemas:core:2.0:Device'
const warranty = 'urn:example:params:scim:schemas:extension:warranty:2.0:Device'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const message = (name: string): string => `urn:ietf:params:scim:api:messages:2.0:${name}`

/** Strings that are known to break parsers. */
const oddText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'a',
    'kim@x.test',
    '__proto__',
    'constructor',
    "' OR 1=1 --",
    '%',
    '_',
    '\\',
    '"',
    '\u0000',
    '\ud800',
    '\u202e',
    'bulkId:1',
    '1e999',
    'true',
    '../..',
    'emails[type eq "work"].value',
    '🙂',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const oddValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    oddText,
    fc.constantFrom<unknown>(null, true, false, 0, -1, 1e21, 0.5, [], {}),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(
        fc.constantFrom('value', 'type', 'primary', '$ref', 'display', '__proto__', 'emails', enterprise),
        oddText,
      ),
      tie('value'),
      { maxKeys: 3 },
    ),
  ),
})).value

const attribute = fc.constantFrom(
  'userName',
  'externalId',
  'active',
  'name',
  'name.familyName',
  'emails',
  'emails.value',
  'emails[type eq "work"].value',
  'phoneNumbers[primary eq true]',
  'password',
  'groups',
  'members',
  'members[value eq "x"]',
  'displayName',
  'meta.created',
  'meta.location',
  'meta.version',
  'id',
  'schemas',
  `${enterprise}:manager`,
  `${enterprise}:department`,
  `${warranty}:contract`,
  'owner.value',
  'related[type eq "User"].value',
  'tags',
  'rank',
  enterprise,
  'manager',
  'unknown',
  'emails[',
  'a.b.c',
)

/** Occasionally replaces a valid value with an odd value. */
const mostly = (good: unknown): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: oddValue })

const userBody = fc.record(
  {
    schemas: mostly([user]),
    userName: fc.oneof(
      {
        weight: 3,
        arbitrary: fc.string({ minLength: 1, maxLength: 6 }).map((text) => `u${text}`) as fc.Arbitrary<unknown>,
      },
      // This name is in use already, so that every run causes conflicts.
      { weight: 3, arbitrary: fc.constant<unknown>('first') },
      { weight: 1, arbitrary: oddValue },
    ),
    externalId: oddValue,
    active: mostly(true),
    name: mostly({ familyName: 'Lee' }),
    emails: mostly([{ value: 'a@x', type: 'work', primary: true }]),
    [enterprise]: mostly({ department: 'Ops', manager: { value: 'u1' } }),
    password: mostly('secret'),
  },
  { requiredKeys: ['schemas', 'userName'] },
)
const groupBody = fc.record(
  {
    schemas: mostly([group]),
    displayName: mostly('Ops'),
    externalId: oddValue,
    members: fc.oneof(mostly([]), oddValue),
  },
  { requiredKeys: ['schemas', 'displayName'] },
)
const deviceBody = fc.record(
  {
    schemas: mostly([device]),
    displayName: mostly('Laptop'),
    externalId: oddValue,
    // After the first run, this number is in use.
    serialNumber: mostly('S1'),
    rank: mostly(1),
    tags: mostly(['a']),
    owner: fc.oneof(mostly({ value: 'u1' }), oddValue),
    related: fc.oneof(mostly([{ value: 'admin', type: 'Role' }]), oddValue),
    [warranty]: mostly({ contract: 'C1' }),
  },
  { requiredKeys: ['schemas', 'displayName'] },
)
const operation = fc.record(
  {
    op: fc.constantFrom<unknown>('add', 'replace', 'remove', 'Add', 'move', null),
    path: fc.oneof(attribute, oddText),
    value: oddValue,
  },
  { requiredKeys: ['op'] },
)
const patch = fc.record({
  schemas: mostly([message('PatchOp')]),
  Operations: fc.oneof(fc.array(operation, { maxLength: 4 }) as fc.Arbitrary<unknown>, oddValue),
})
const filter = fc.oneof(
  fc
    .tuple(
      attribute,
      fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'le', 'pr', 'xx'),
      fc.oneof(
        oddText.map((text) => JSON.stringify(text)),
        fc.constantFrom('true', 'null', '1', '"2020-01-01T00:00:00Z"', 'bare'),
      ),
    )
    .map((parts) => parts.join(' ')),
  fc
    .tuple(attribute, attribute)
    .map(([first, second]) => `not (${first} pr) and (${second} eq "a" or ${first} sw "u")`),
  oddText,
)
const search = fc.record(
  {
    schemas: mostly([message('SearchRequest')]),
    filter: fc.oneof(filter, oddValue),
    sortBy: fc.oneof(attribute, oddValue),
    count: oddValue,
    startIndex: oddValue,
    cursor: oddValue,
    attributes: oddValue,
  },
  { requiredKeys: [] },
)
const bulkOperation = fc.record(
  {
    method: fc.constantFrom<unknown>('POST', 'PUT', 'PATCH', 'DELETE', 'GET', null),
    path: fc.constantFrom<unknown>(
      '/Users',
      '/Groups',
      '/Users/x',
      '/Users/bulkId:a',
      '/Devices',
      '/Devices/bulkId:a',
      '/Roles/admin',
      '/Bulk',
      '//x',
      'https://x/Users',
      null,
    ),
    bulkId: mostly('a'),
    version: oddValue,
    data: fc.oneof(userBody as fc.Arbitrary<unknown>, groupBody, deviceBody, patch, oddValue),
  },
  { requiredKeys: ['method', 'path'] },
)
const bulk = fc.record({
  schemas: mostly([message('BulkRequest')]),
  failOnErrors: oddValue,
  Operations: fc.oneof(fc.array(bulkOperation, { maxLength: 3 }) as fc.Arbitrary<unknown>, oddValue),
})

/** Replaces unpaired surrogates, which have no UTF-8 encoding and cannot be part of a URL. */
const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString())

const asBody = (value: fc.Arbitrary<unknown>): fc.Arbitrary<string> => value.map((json) => JSON.stringify(json) ?? '')

const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: filter.map((text) => `?filter=${encoded(text)}`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          'startIndex',
          'count',
          'sortBy',
          'sortOrder',
          'attributes',
          'excludedAttributes',
          'cursor',
          'filter',
        ),
        fc.oneof(attribute, oddText, fc.constantFrom('-1', '0', '99999999999999999999', 'NaN', 'descending')),
      )
      .map(([name, value]) => `?${name}=${encoded(value)}`),
  },
)

const headers = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { 'if-match': 'W/"0"' },
      { 'if-match': '*' },
      { 'if-match': ',,' },
      { 'if-none-match': 'W/"1", *' },
      { 'content-type': 'text/plain' },
      { accept: 'text/html' },
    ),
  },
)

/**
 * Requests of a misbehaving or malicious identity provider to a server with the types of `custom-types.ts`.
 * @param existing the identifiers of existing resources.
 */
export function hostileScim(existing: {
  readonly users: readonly string[]
  readonly groups: readonly string[]
  readonly devices: readonly string[]
}): fc.Arbitrary<ScimInput> {
  const { users, groups, devices } = existing
  const odd = fc.oneof(
    fc.constantFrom('.search', 'x', '%00', '%E0%A4%A'),
    oddText.map((text) => encoded(text)),
  )
  const at = (collection: string, ids: readonly string[]) =>
    fc
      .oneof({ weight: 6, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: odd })
      .map((id) => `${collection}/${id}`)
  const request = (method: string, path: fc.Arbitrary<string>, body: fc.Arbitrary<unknown>) =>
    fc.record({
      method: fc.constant(method),
      path: fc.tuple(path, query).map((parts) => parts.join('')),
      headers,
      body: fc.oneof({ weight: 9, arbitrary: asBody(body) }, { weight: 1, arbitrary: oddText }),
    })
  const collections = [
    '/Users',
    '/users',
    '/Groups',
    '/Devices',
    '/Roles',
    '/Bulk',
    '/.search',
    '/Me',
    '/Schemas',
    '/ResourceTypes',
    '/ServiceProviderConfig',
    '',
    '/nothing',
  ]

  return fc.oneof(
    request('POST', fc.constant('/Users'), userBody),
    request('PATCH', at('/Users', users), patch),
    request('PUT', at('/Users', users), userBody),
    request('GET', fc.constantFrom('/Users', '/Groups', '/Devices', '/Roles'), fc.constant(undefined)),
    request('POST', fc.constant('/Devices'), deviceBody),
    request('PATCH', at('/Devices', devices), patch),
    request('PUT', at('/Devices', devices), deviceBody),
    request('GET', fc.oneof(at('/Users', users), at('/Groups', groups)), fc.constant(undefined)),
    request(
      'POST',
      fc.constantFrom('/.search', '/Users/.search', '/Groups/.search', '/Devices/.search', '/Roles/.search'),
      search,
    ),
    request('POST', fc.constant('/Groups'), groupBody),
    request('PATCH', at('/Groups', groups), patch),
    request('PUT', at('/Groups', groups), groupBody),
    request('POST', fc.constant('/Bulk'), bulk),
    fc.record({
      method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
      path: fc
        .tuple(
          fc.constantFrom(...collections),
          fc.oneof(
            fc.constant(''),
            odd.map((id) => `/${id}`),
            odd.map((id) => `/${id}/x`),
          ),
          query,
        )
        .map((parts) => parts.join('')),
      headers,
      body: asBody(oddValue),
    }),
  )
}
