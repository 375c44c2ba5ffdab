"""Lamps of a house."""


class LightsAPI:
    """Lamps by room, with their brightness."""

    def _load_scenario(self, scenario, long_context=False):
        self.lamps = scenario['lamps']

    def list_rooms(self):
        return {'rooms': sorted({lamp['room'] for lamp in self.lamps})}

    def find_lamp(self, room):
        found = next((lamp for lamp in self.lamps if lamp['room'] == room), None)
        return {'lamp_id': found['id']} if found else {'error': f'no lamp in {room}'}

    def set_brightness(self, lamp_id, percent, fade=0):
        lamp = next(lamp for lamp in self.lamps if lamp['id'] == lamp_id)
        lamp['percent'] = percent
        return {'lamp_id': lamp_id, 'percent': percent}

    def count_lamps(self):
        # Not what its document promises, as in some of the published documents.
        return len(self.lamps)
