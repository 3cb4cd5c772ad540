/** Returns the problem of a value, such as `must be a function`; `undefined` if there is none. */
export type OptionCheck = (value: unknown) => string | undefined

/** The check of an option that must not be left out: `required(aNonEmptyString)`. */
export interface RequiredOption {
  readonly required: OptionCheck
}

/**
 * A check for every option. The compiler rejects a missing or misspelled name, and a required option without
 * `required`.
 */
export type OptionChecks<Options> = {
  readonly [Name in keyof Options]-?: Partial<Pick<Options, Name>> extends Pick<Options, Name>
    ? OptionCheck
    : RequiredOption
}

/**
 * Throws if an option has an unknown name or an invalid value, or if a required option is missing. TypeScript reports
 * an unknown name only in object literals; a misspelled name would leave a default in force without a warning. An
 * option with the value `undefined` is treated as left out.
 * @param of the name of the function that takes the options, for the message.
 * @throws TypeError that names the option.
 */
export function checkOptions<Options extends object>(
  of: string,
  options: Options,
  checks: OptionChecks<Options>,
): void {
  const value: unknown = options
  if (!isObject(value)) throw new TypeError(`${of}: the options must be an object.`)
  const fault = findFault(value, checks)
  if (fault === undefined) return
  const { name, problem, known } = fault
  throw new TypeError(
    problem === undefined
      ? `${of}: ${name} is not an option. The options are ${known}.`
      : `${of}: ${describeProblem(name, problem)}.`,
  )
}

interface Fault {
  readonly name: string
  /** `undefined` for an unknown name. */
  readonly problem: string | undefined
  /** The names of all options. */
  readonly known: string
}

/** Finds the first option with an unknown name; otherwise the first option with a problem. */
function findFault(options: object, checks: Readonly<Record<string, OptionCheck | RequiredOption>>): Fault | undefined {
  const fault = (name: string, problem: string | undefined): Fault => ({
    name,
    problem,
    known: Object.keys(checks).join(', '),
  })
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(checks, name))
  if (unknown !== undefined) return fault(unknown, undefined)
  for (const [name, check] of Object.entries(checks)) {
    const problem = findProblem(Reflect.get(options, name), check)
    if (problem !== undefined) return fault(name, problem)
  }
  return undefined
}

function findProblem(value: unknown, check: OptionCheck | RequiredOption): string | undefined {
  if (typeof check === 'function') return value === undefined ? undefined : check(value)
  const problem = check.required(value)
  return problem !== undefined && value === undefined ? `is missing; it ${problem}` : problem
}

/**
 * Joins a name and a problem. The problem of a nested option begins with the rest of its path, as in `dpop.origin must
 * be …`.
 */
const describeProblem = (name: string, problem: string): string =>
  /^[.[]/.test(problem) ? name + problem : `${name} ${problem}`

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const createCheck =
  (isExpected: (value: unknown) => boolean, problem: string): OptionCheck =>
  (value) =>
    isExpected(value) ? undefined : problem

export const required = (check: OptionCheck): RequiredOption => ({ required: check })

export const aFunction = createCheck((value) => typeof value === 'function', 'must be a function')
export const anObject = createCheck(isObject, 'must be an object')
export const aString = createCheck((value) => typeof value === 'string', 'must be a string')
export const aNonEmptyString = createCheck(
  (value) => typeof value === 'string' && value !== '',
  'must be a non-empty string',
)
export const aBoolean = createCheck((value) => typeof value === 'boolean', 'must be true or false')

/** Accepts every storage. `requireStores` checks which stores it has, where they are used. */
export const aStorage: OptionCheck = (value) => {
  if (isObject(value) && typeof Reflect.get(value, 'issuer') === 'string') return undefined
  if (value instanceof Promise) return 'must be a storage, but a promise was given: await it'
  return 'must be a storage'
}

/**
 * Accepts an object of the host or of another package, such as a limiter, that has these functions; it may have other
 * members.
 */
export const anObjectWith = (...functions: readonly string[]): OptionCheck =>
  createCheck(
    (value) => isObject(value) && functions.every((name) => typeof Reflect.get(value, name) === 'function'),
    `must be an object with the function${functions.length === 1 ? '' : 's'} ${functions.join(', ')}`,
  )

export const aStringMatching = (pattern: RegExp, problem: string): OptionCheck =>
  createCheck((value) => typeof value === 'string' && pattern.test(value), problem)

export const oneOf = (...values: readonly string[]): OptionCheck =>
  createCheck((value) => typeof value === 'string' && values.includes(value), `must be ${values.join(' or ')}`)

export const wholeNumber = (minimum: number, maximum = Number.MAX_SAFE_INTEGER): OptionCheck =>
  createCheck(
    (value) => Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
    maximum === Number.MAX_SAFE_INTEGER
      ? `must be a whole number, ${minimum} or more`
      : `must be a whole number from ${minimum} to ${maximum}`,
  )

export const aNumber = (minimum: number, maximum: number): OptionCheck =>
  createCheck(
    (value) => typeof value === 'number' && value >= minimum && value <= maximum,
    `must be a number from ${minimum} to ${maximum}`,
  )

export const listOf =
  (check: OptionCheck): OptionCheck =>
  (value) => {
    if (!Array.isArray(value)) return 'must be a list'
    const problems = value.flatMap((element, index) => {
      const problem = check(element)
      return problem === undefined ? [] : [describeProblem(`[${index}]`, problem)]
    })
    return problems[0]
  }

export const aListOfStrings = createCheck(
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  'must be a list of strings',
)

/** Accepts an object whose members are options too. */
export const optionsOf =
  <Options extends object>(checks: OptionChecks<Options>): OptionCheck =>
  (value) => {
    if (!isObject(value)) return 'must be an object'
    const fault = findFault(value, checks)
    if (fault === undefined) return undefined
    const { name, problem, known } = fault
    return describeProblem(`.${name}`, problem ?? `is not an option; the options are ${known}`)
  }
