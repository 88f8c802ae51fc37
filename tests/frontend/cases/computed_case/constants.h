#define GAIN 3.0f
