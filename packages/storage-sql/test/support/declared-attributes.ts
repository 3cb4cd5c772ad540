import type { IndexedAttribute } from '@mintmark/storage-interface/stores'

/** Attributes that a host declares `indexed` in order to search a large directory by them. */
export const declaredAttributes: readonly IndexedAttribute[] = [
  single('displayName'),
  single('name', 'familyName'),
  {
    ...single('employeeNumber'),
    attribute: {
      ...single('employeeNumber').attribute,
      extension: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
    },
  },
  several('emails'),
  several('phoneNumbers'),
]

function single(name: string, subName?: string): IndexedAttribute {
  return {
    attribute: { extension: undefined, name, subName, multiValued: false },
    elementPart: undefined,
    isText: true,
    isUnique: false,
  }
}

function several(name: string): IndexedAttribute {
  const { attribute } = single(name)
  return { attribute: { ...attribute, multiValued: true }, elementPart: 'value', isText: true, isUnique: false }
}
