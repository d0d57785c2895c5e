/** A scenario that has a column of its own in the table of agents. */
export const NO_VOLUME = 'a home that is gone: everything killed, resumed in an empty one from the store alone'
