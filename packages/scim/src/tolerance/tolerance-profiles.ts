import { toleranceDefinitions, type Tolerance, type Tolerances } from './tolerance.ts'

const profile = (...names: readonly Tolerance[]): Tolerances => new Set(names)

/** The RFCs to the letter. */
export const strictTolerances: Tolerances = profile()

/** For an identity provider that is not known: what cannot be taken for anything else. */
export const generalTolerances: Tolerances = profile(
  'operation-name-case',
  'boolean-as-text',
  'null-means-absent',
  'list-around-value',
  'paths-as-keys',
  'remove-with-value',
  'sub-attribute-after-value-filter',
  'unknown-attributes',
  'unknown-schemas',
)

/** Microsoft Entra ID, with and without its flag for compliant behaviour. */
export const entraTolerances: Tolerances = profile(
  ...generalTolerances,
  'operation-name-missing',
  'operations-empty',
  'create-on-no-match',
  'text-for-complex',
  'value-around-primitive',
  'empty-text-means-absent',
  'extension-attribute-without-urn',
  'complex-means-value',
  'unquoted-filter-value',
  'legacy-urns',
)

/** Okta: integrations of the catalogue and of the wizard. */
export const oktaTolerances: Tolerances = profile(...generalTolerances, 'empty-text-means-absent')

/** OneLogin, with either of its templates. */
export const oneLoginTolerances: Tolerances = profile(
  ...generalTolerances,
  'empty-text-means-absent',
  'legacy-urns',
  'schemas-missing',
)

/** Everything: for finding out what a connector needs. */
export const allTolerances: Tolerances = profile(...toleranceDefinitions.map(({ name }) => name))
