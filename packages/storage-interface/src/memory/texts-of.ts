import type { FilterAttribute } from '../filter/resolved-filter.ts'
import { elementsOf, valuesOf } from '../filter/values-of.ts'
import type { JsonObject } from '../json.ts'

/** The texts of an attribute, such as `userName`, or of a part of each of its values, such as `emails.value`. */
export function textsOf(comparable: JsonObject, attribute: string): readonly string[] {
  const [name = '', part] = attribute.split('.')
  const values =
    part === undefined
      ? valuesOf(comparable, plain(name))
      : elementsOf(comparable, plain(name)).flatMap((element) => valuesOf(element, plain(part)))
  return values.filter((value) => typeof value === 'string')
}

const plain = (name: string): FilterAttribute => ({
  extension: undefined,
  name,
  subName: undefined,
  multiValued: false,
})
