// chai's own assertions, how it compares and shows values: defined when one is asked for.
export * from 'chai/rest';
