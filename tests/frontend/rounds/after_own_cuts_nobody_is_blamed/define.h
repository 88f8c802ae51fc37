#pragma once
#define OPEN_PROJECT namespace waves { typedef Unheard unheard;
#define CLOSE_PROJECT }
