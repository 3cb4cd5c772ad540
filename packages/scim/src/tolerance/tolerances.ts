// One file, because profiles and counters use the names that the table defines.

/** A deviation from the RFCs that some identity provider depends on. */
interface ToleranceDefinition {
  readonly name: string
  /** The identity providers that send it. */
  readonly seenAt: readonly string[]
  /** What is accepted, and how it is interpreted. */
  readonly description: string
}

/** All deviations from RFC 7643 and RFC 7644 that can be enabled. Each use is counted. */
const toleranceDefinitions = [
  {
    name: 'operation-name-case',
    seenAt: ['Entra'],
    description:
      'The op of a PATCH operation is "Add", "Replace" or "Remove", in any case. The method of a bulk operation is in any case.',
  },
  {
    name: 'operation-name-missing',
    seenAt: ['Entra'],
    description: 'A PATCH operation without op is a replace.',
  },
  {
    name: 'operations-empty',
    seenAt: ['Entra'],
    description: 'A PATCH request with no operations changes nothing, instead of being refused.',
  },
  {
    name: 'boolean-as-text',
    seenAt: ['Entra', 'OneLogin', 'Keycloak'],
    description:
      'A boolean is the string "True" or "False", in any case: when disabling a user, and in roles[primary eq "True"].',
  },
  {
    name: 'number-as-text',
    seenAt: ['OneLogin', 'custom connectors'],
    description: 'An integer or a decimal is written as a string, as templates do: "42".',
  },
  {
    name: 'text-as-number',
    seenAt: ['HR connectors'],
    description: 'A string attribute has an integer as its value: employeeNumber as 4711, externalId as 88123.',
  },
  {
    name: 'search-member-as-text',
    seenAt: ['SCIM-SDK'],
    description:
      'In the body of a search, count and startIndex are strings, and a list of attributes is one string: "count":"10", "attributes":"userName,emails".',
  },
  {
    name: 'meta-in-patch',
    seenAt: ['custom connectors'],
    description: 'The value of a PATCH operation without path is a whole resource. Its meta is ignored.',
  },
  {
    name: 'read-only-sub-attribute',
    seenAt: ['Entra', 'Okta'],
    description:
      'A PATCH operation targets a read-only sub-attribute of a writable attribute, such as manager.displayName. It is ignored.',
  },
  {
    name: 'dot-after-urn',
    seenAt: ['Entra'],
    description:
      'In a PATCH path, a dot instead of a colon follows the URN of an extension: urn:ietf:params:scim:schemas:extension:enterprise:2.0:User.manager.',
  },
  {
    name: 'create-on-no-match',
    seenAt: ['Entra'],
    description:
      'An add or a replace whose value filter matches nothing creates the value that the filter describes: phoneNumbers[type eq "mobile"].value.',
  },
  {
    name: 'remove-with-value',
    seenAt: ['Entra', 'Okta'],
    description:
      'The value of a remove lists the values to remove: path members, value [{"value":"u1"}]. Beside a filter, it has to list the values that the filter selects.',
  },
  {
    name: 'remove-with-nested-value',
    seenAt: ['Salesforce'],
    description: 'A remove repeats the attribute inside its value: path members, value {"members":[{"value":"u1"}]}.',
  },
  {
    name: 'text-for-complex',
    seenAt: ['Entra'],
    description:
      'A complex attribute is given as its value alone: manager as "u9" for {"value":"u9"}, a member as "u1".',
  },
  {
    name: 'list-around-value',
    seenAt: ['Entra', 'SCIM-SDK'],
    description:
      'A value is the only element of a list: manager as [{"value":"u9"}], active as [true], and the value of a PATCH operation without path as [{"displayName":"Kim"}].',
  },
  {
    name: 'value-without-list',
    seenAt: ['custom connectors'],
    description: 'A multi-valued attribute is given as one value without a list around it.',
  },
  {
    name: 'value-around-primitive',
    seenAt: ['Entra'],
    description: 'A simple value is wrapped as if it were complex: [{"value":"1"}] where ["1"] is declared.',
  },
  {
    name: 'empty-text-means-absent',
    seenAt: ['Entra', 'Okta', 'OneLogin'],
    description:
      'An empty string means that there is no value: profile fields that are not set, and manager when it is cleared.',
  },
  {
    name: 'null-means-absent',
    seenAt: ['Entra', 'OneLogin'],
    description: 'A PATCH operation with the value null clears its target: replace title with null.',
  },
  {
    name: 'paths-as-keys',
    seenAt: ['Entra'],
    description:
      'The keys in the value of a PATCH operation without path are paths: "name.givenName", "urn:…:User:employeeNumber".',
  },
  {
    name: 'extension-attribute-without-urn',
    seenAt: ['Entra'],
    description: "An extension's attribute is named without its URN in a path or filter: manager.",
  },
  {
    name: 'complex-means-value',
    seenAt: ['Entra'],
    description: 'A filter compares a single complex attribute, meaning its value: manager eq "u9".',
  },
  {
    name: 'unquoted-filter-value',
    seenAt: ['Entra'],
    description: 'A string in a filter has no quotes: externalId eq jdoe.',
  },
  {
    name: 'sub-attribute-after-value-filter',
    seenAt: ['Entra'],
    description: 'A filter compares a sub-attribute of selected values: emails[type eq "work"].value eq "kim@x.test".',
  },
  {
    name: 'unknown-attributes',
    seenAt: ['Entra', 'Okta'],
    description:
      'Attributes that no schema defines are ignored (RFC 7644 §3.3 leaves it open), instead of being refused. An attribute that decides on access is refused in the wrong place: active in the object of an extension.',
  },
  {
    name: 'unknown-schemas',
    seenAt: ['Entra'],
    description:
      "URNs in schemas that the resource type does not have are ignored, such as Microsoft's own URN for groups.",
  },
  {
    name: 'schemas-missing',
    seenAt: ['custom connectors'],
    description:
      'A body has no schemas, or only a schema that does not contradict the endpoint: a PATCH with the schema of a user. The endpoint determines the schema.',
  },
  {
    name: 'space-in-brackets',
    seenAt: ['custom connectors'],
    description: 'Spaces are next to the brackets of a value filter: emails[ type eq "work" ].',
  },
  {
    name: 'path-empty',
    seenAt: ['custom connectors'],
    description: 'An empty path of a PATCH operation means that it has no path.',
  },
  {
    name: 'primary-twice',
    seenAt: ['HR connectors'],
    description: 'Several values of a list are primary. The first of them stays primary.',
  },
  {
    name: 'control-characters',
    seenAt: ['HR connectors'],
    description:
      'A name or another text of one line has tabs or line breaks, which become spaces, or invisible characters and characters that reverse the direction of text, which are removed.',
  },
  {
    name: 'selection-kept',
    seenAt: ['UnboundID', 'scim2-models'],
    description:
      'A replace of a selected value keeps the sub-attributes that its filter states: the type after addresses[type eq "work"].',
  },
  {
    name: 'legacy-urns',
    seenAt: ['OneLogin', 'Entra'],
    description: 'URNs of SCIM 1.x, and the misspelt enterprise:2.0User, are read as the URNs of SCIM 2.0.',
  },
] as const satisfies readonly ToleranceDefinition[]

/** The name of a tolerance. */
export type Tolerance = (typeof toleranceDefinitions)[number]['name']

/** The tolerances that are enabled for a provider. */
export type Tolerances = ReadonlySet<Tolerance>

/** A tolerance that was used, and how many times. */
export interface AppliedTolerance {
  readonly tolerance: Tolerance
  readonly count: number
}

const profile = (...names: readonly Tolerance[]): Tolerances => new Set(names)

/** No tolerances: the RFCs to the letter. */
export const strictTolerances: Tolerances = profile()

/** For unknown identity providers: only tolerances whose interpretation is unambiguous. */
export const generalTolerances: Tolerances = profile(
  'operation-name-case',
  'boolean-as-text',
  'null-means-absent',
  'list-around-value',
  'text-as-number',
  'search-member-as-text',
  'meta-in-patch',
  'paths-as-keys',
  'remove-with-value',
  'sub-attribute-after-value-filter',
  'unknown-attributes',
  'unknown-schemas',
  'remove-with-nested-value',
  'empty-text-means-absent',
  'space-in-brackets',
  'path-empty',
  'schemas-missing',
  'control-characters',
  'selection-kept',
)

/** Microsoft Entra ID, with and without its flag for compliant behaviour. */
export const entraTolerances: Tolerances = profile(
  ...generalTolerances,
  'value-without-list',
  'primary-twice',
  'operation-name-missing',
  'operations-empty',
  'create-on-no-match',
  'text-for-complex',
  'value-around-primitive',
  'extension-attribute-without-urn',
  'complex-means-value',
  'unquoted-filter-value',
  'read-only-sub-attribute',
  'dot-after-urn',
  'legacy-urns',
)

/** Okta, with integrations from the catalogue and from the wizard. */
export const oktaTolerances: Tolerances = profile(
  ...generalTolerances,
  'read-only-sub-attribute',
  'value-without-list',
  'primary-twice',
)

/** OneLogin, with either of its SCIM templates. */
export const oneLoginTolerances: Tolerances = profile(
  ...generalTolerances,
  'number-as-text',
  'legacy-urns',
  'value-without-list',
  'primary-twice',
)

/** All tolerances, to find out what a connector needs. */
export const allTolerances: Tolerances = profile(...toleranceDefinitions.map(({ name }) => name))

/** The tolerance profiles by name. */
export const toleranceProfiles = {
  strict: strictTolerances,
  general: generalTolerances,
  entra: entraTolerances,
  okta: oktaTolerances,
  oneLogin: oneLoginTolerances,
  all: allTolerances,
} as const satisfies Record<string, Tolerances>

/** The name of a tolerance profile. */
export type ToleranceProfile = keyof typeof toleranceProfiles

const isToleranceProfile = (name: string): name is ToleranceProfile => Object.hasOwn(toleranceProfiles, name)

/** Returns the tolerances of a profile. An unknown name, perhaps of a later version, means `strict`. */
export const tolerancesOf = (name: string): Tolerances =>
  isToleranceProfile(name) ? toleranceProfiles[name] : strictTolerances

/** The tolerances that are enabled for a request, and how many times each was used. */
export interface ToleranceCounter {
  /** Whether a tolerance is enabled. Each `true` is counted as a use, so call it only when the request needs the tolerance. */
  readonly admits: (tolerance: Tolerance) => boolean
  /** The tolerances used so far, in order of first use. */
  readonly applied: () => readonly AppliedTolerance[]
  /** A separate counter that starts with the uses so far. */
  readonly fork: () => ToleranceCounter
}

/** Creates a counter without uses. */
export const createToleranceCounter = (enabled: Tolerances): ToleranceCounter => counterFrom(enabled, new Map())

function counterFrom(enabled: Tolerances, used: ReadonlyMap<Tolerance, number>): ToleranceCounter {
  const counts = new Map(used)
  return {
    admits(tolerance) {
      if (!enabled.has(tolerance)) return false
      counts.set(tolerance, (counts.get(tolerance) ?? 0) + 1)
      return true
    },
    applied: () => [...counts].map(([tolerance, count]) => ({ tolerance, count })),
    fork: () => counterFrom(enabled, counts),
  }
}
