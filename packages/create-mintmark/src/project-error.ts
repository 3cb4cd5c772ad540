/** The project cannot be created in the folder. The message is written for the user. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError'
}
