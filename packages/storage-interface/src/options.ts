/** Returns what a value must be, such as `must be a function`; `undefined` when it is. */
export type OptionCheck = (value: unknown) => string | undefined

/** The check of an option that cannot be left out: `required(aText)`. */
export interface RequiredOption {
  readonly required: OptionCheck
}

/** A check for every option: the compiler finds one that is missing or misspelled, and a required one that is not marked. */
export type OptionChecks<Options> = {
  readonly [Name in keyof Options]-?: Partial<Pick<Options, Name>> extends Pick<Options, Name>
    ? OptionCheck
    : RequiredOption
}

/**
 * Refuses options with an unknown name or an impossible value, and options that lack a required one. TypeScript finds them only
 * in object literals. A misspelled name would leave a default in force without a warning. A value of `undefined` is as if the
 * option were left out.
 * @param of the function that takes the options, for the message.
 * @throws TypeError that names the option.
 */
export function checkOptions<Options extends object>(
  of: string,
  options: Options,
  checks: OptionChecks<Options>,
): void {
  const given: unknown = options
  if (!isObject(given)) throw new TypeError(`${of}: its options must be an object.`)
  const fault = findFault(given, checks)
  if (fault === undefined) return
  const { name, problem, known } = fault
  throw new TypeError(
    problem === undefined
      ? `${of}: ${name} is not an option. Its options are ${known}.`
      : `${of}: ${joined(name, problem)}.`,
  )
}

interface Fault {
  readonly name: string
  /** `undefined` for an unknown name. */
  readonly problem: string | undefined
  /** The names of all options. */
  readonly known: string
}

/** The first option with an unknown name; otherwise the first with a problem. */
function findFault(options: object, checks: Readonly<Record<string, OptionCheck | RequiredOption>>): Fault | undefined {
  const known = Object.keys(checks).join(', ')
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(checks, name))
  if (unknown !== undefined) return { name: unknown, problem: undefined, known }
  for (const [name, check] of Object.entries(checks)) {
    const problem = problemOf(Reflect.get(options, name), check)
    if (problem !== undefined) return { name, problem, known }
  }
  return undefined
}

function problemOf(value: unknown, check: OptionCheck | RequiredOption): string | undefined {
  if (typeof check === 'function') return value === undefined ? undefined : check(value)
  const problem = check.required(value)
  return problem !== undefined && value === undefined ? `is missing; it ${problem}` : problem
}

/** `dpop.origin must be …`: the problem of a member begins with its path. */
const joined = (name: string, problem: string): string =>
  /^[.[]/.test(problem) ? name + problem : `${name} ${problem}`

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const expecting =
  (isExpected: (value: unknown) => boolean, problem: string): OptionCheck =>
  (value) =>
    isExpected(value) ? undefined : problem

export const required = (check: OptionCheck): RequiredOption => ({ required: check })

export const aFunction = expecting((value) => typeof value === 'function', 'must be a function')
export const anObject = expecting(isObject, 'must be an object')
export const aText = expecting((value) => typeof value === 'string' && value !== '', 'must be a text')
export const aFlag = expecting((value) => typeof value === 'boolean', 'must be true or false')

/** What it stores is checked where it is used: `requireStores`. */
export const aStorage = expecting(
  (value) => isObject(value) && typeof Reflect.get(value, 'issuer') === 'string',
  'must be a storage',
)

/** An object of the host or of another package, such as a limiter: it may have other members. */
export const anObjectWith = (...functions: readonly string[]): OptionCheck =>
  expecting(
    (value) => isObject(value) && functions.every((name) => typeof Reflect.get(value, name) === 'function'),
    `must be an object with the function${functions.length === 1 ? '' : 's'} ${functions.join(', ')}`,
  )

export const aTextLike = (pattern: RegExp, problem: string): OptionCheck =>
  expecting((value) => typeof value === 'string' && pattern.test(value), problem)

export const oneOf = (...values: readonly string[]): OptionCheck =>
  expecting((value) => typeof value === 'string' && values.includes(value), `must be ${values.join(' or ')}`)

export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER): OptionCheck =>
  expecting(
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    most === Number.MAX_SAFE_INTEGER
      ? `must be a whole number, ${least} or more`
      : `must be a whole number from ${least} to ${most}`,
  )

export const aNumber = (least: number, most: number): OptionCheck =>
  expecting(
    (value) => typeof value === 'number' && value >= least && value <= most,
    `must be a number from ${least} to ${most}`,
  )

export const listOf =
  (check: OptionCheck): OptionCheck =>
  (value) => {
    if (!Array.isArray(value)) return 'must be a list'
    const problems = value.flatMap((one, index) => {
      const problem = check(one)
      return problem === undefined ? [] : [joined(`[${index}]`, problem)]
    })
    return problems[0]
  }

export const aListOfTexts = expecting(
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  'must be a list of texts',
)

/** An object with options of its own. */
export const optionsOf =
  <Options extends object>(checks: OptionChecks<Options>): OptionCheck =>
  (value) => {
    if (!isObject(value)) return 'must be an object'
    const fault = findFault(value, checks)
    if (fault === undefined) return undefined
    const { name, problem, known } = fault
    return joined(`.${name}`, problem ?? `is not an option; the options are ${known}`)
  }
