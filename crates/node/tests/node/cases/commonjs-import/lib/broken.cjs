throw new RangeError('broken on purpose');
