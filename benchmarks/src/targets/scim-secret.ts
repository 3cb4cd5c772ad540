/** The bearer token of the floors, and of peers that do not create secrets. */
export const scimSecret = 'f7x0dVwTqv6yEu2cB9jP4mN1kL8sA3hRgZoWiXtYeUc'
