/** Whether npm takes it: lower case, safe in a URL, with a scope or without. */
export const isPackageName = (name: string): boolean =>
  name.length <= 214 && /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name)

/** A name for the package in a folder; `my-server` where nothing of the folder's name can be used. */
export function packageNameOf(folder: string): string {
  const name = folder
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._~-]+/g, '-')
    .replaceAll(/^[._-]+|-+$/g, '')
    .slice(0, 214)
  return isPackageName(name) ? name : 'my-server'
}
